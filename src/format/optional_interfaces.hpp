// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the FieldFormat of some formats is beside: sides that most formats do without.
#pragma once

#include <string>

#include "base/inner.hpp"
#include "format/format.hpp"

namespace lq::format {

// No two fields of a file may have one name.
class LQ_INNER RequiresUniqueNames {
 public:
  virtual ~RequiresUniqueNames() = default;
};

inline bool needs_unique_names(const FieldFormat& format) noexcept {
  return dynamic_cast<const RequiresUniqueNames*>(&format) != nullptr;
}

// Something can be said of a field that fits the format: that the programs which the format is from do not read it.
class LQ_INNER Advises {
 public:
  virtual ~Advises() = default;
  // A sentence without the name of the file, or nothing.
  virtual std::string advice(const FieldSpec& in_file) const = 0;
};

inline std::string advice_of(const FieldFormat& format, const FieldSpec& in_file) {
  const auto* const adviser = dynamic_cast<const Advises*>(&format);
  return adviser == nullptr ? std::string{} : adviser->advice(in_file);
}

}  // namespace lq::format
