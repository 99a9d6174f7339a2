// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the headers of one file say, as a catalogue keeps it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/properties.hpp"
#include "ensemble/files.hpp"
#include "ensemble/folder.hpp"

namespace lq::ensemble {

struct FieldProperty {
  std::optional<std::int64_t> field;  // number of the field; none: of the whole file
  base::Property property;
};

// A physical file of an entry next to its first.
struct FurtherFile {
  std::string path;
  FileStatus status;
};

struct Looked {
  std::string path;
  FileStatus status;
  std::string other;         // not empty: no format takes it for its own, and what it is
  std::string problem;       // not empty: it cannot be read
  bool has_remains = false;  // of a file of ours
  std::string part_of;       // the file that answers for it; empty: itself
  std::vector<FurtherFile> further;
  bool is_gone = false;
  bool is_changing = false;  // it was written to while we looked
  Catalog catalog;
  std::vector<FieldProperty> properties;
  std::optional<std::int64_t> trajectory;
  const char* trajectory_from = nullptr;  // "metadata", "name"
  std::string series;

  std::string_view state() const noexcept;  // "indexed", "damaged", "incomplete", "unreadable"
  Sighting sighting() const;
};

// Any thread. Whatever is wrong with the file is part of the answer.
Looked look_at(const std::string& path, const Limits& limits);
// The same without properties, series and trajectory, for whoever verifies the file anyway.
Looked glance_at(const std::string& path, const Limits& limits);
// Of what nobody looks into: name and status alone.
Looked without_look(const std::string& path, const FileStatus& status);

// What a catalogue knows of a folder, for whoever looks into that without it.
struct Catalogued {
  std::string db;                  // the catalogue; empty: there is none
  std::vector<std::string> paths;  // its entries below the folder
};

// `folder`: as full_path() gives it. Of the catalogue in it or in the nearest folder above. Throws what is wrong with
// that.
Catalogued catalogued_below(const std::string& folder);

}  // namespace lq::ensemble
