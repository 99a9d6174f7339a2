// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the headers of one file say, as a catalogue keeps it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/properties.hpp"
#include "catalogue/walk.hpp"

namespace lq::catalogue {

struct FieldProperty {
  std::optional<std::int64_t> field;  // number of the field; none: of the whole file
  base::Property property;
};

struct Looked {
  std::string path;
  FileStatus status;
  std::string other;    // not empty: no lattice file, and why
  std::string problem;  // not empty: it cannot be read
  bool is_gone = false;
  bool is_changing = false;  // it was written to while we looked
  Catalog catalog;
  std::vector<FieldProperty> properties;
  std::optional<std::int64_t> trajectory;
  const char* trajectory_from = nullptr;  // "metadata", "name"
  std::string series;

  const char* state() const noexcept;  // "indexed", "damaged", "incomplete", "unreadable"
};

// Any thread. Whatever is wrong with the file is part of the answer.
Looked look_at(const std::string& path, const Limits& limits);

}  // namespace lq::catalogue
