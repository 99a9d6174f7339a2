// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Well-known files that are none of our formats: told by name from their first bytes, so that nobody has to guess
// why a file is refused. A format that we learn to read leaves this table.
#pragma once

#include <optional>
#include <string_view>

#include "base/byte_source.hpp"

namespace lq::format {

struct ForeignFile {
  std::string_view name;    // "an HDF5 file"
  std::string_view remedy;  // an imperative sentence without its full stop
};

// What a file is that no format recognises; nothing where that is unknown.
std::optional<ForeignFile> identify_foreign(base::ByteSource& file);

// What files with such a suffix (".h5") are; nothing for one that is not known.
std::optional<ForeignFile> foreign_suffix(std::string_view suffix) noexcept;

}  // namespace lq::format
