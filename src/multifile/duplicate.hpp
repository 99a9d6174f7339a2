// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Another view of a multifile that is open for reading, with positions of its own, for one more thread. It outlives
// what it was made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "multifile/multifile.hpp"

namespace lq::multifile {

class Duplicate final : public Multifile {
 public:
  // Local. All tasks that are open there, or the one of a global rank; of its records perhaps only those of a key.
  // Throws wrong_state for a file that is written, invalid_argument for a task that is not open there.
  static std::unique_ptr<Duplicate> of(const Multifile& original, Access access, std::optional<std::int64_t> rank,
                                       std::optional<std::uint64_t> key);

  void close() override { close_channels(); }

 private:
  explicit Duplicate(Facts facts) : Multifile(std::move(facts)) {}
};

}  // namespace lq::multifile
