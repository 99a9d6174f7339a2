// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Well-known files that are none of our formats: told by name from their first bytes, so that nobody has to guess
// why a file is refused. A format that we learn to read leaves this table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/byte_source.hpp"
#include "base/inner.hpp"

namespace lq::format {

struct ForeignFile {
  std::string_view name;    // "an HDF5 file"
  std::string_view remedy;  // an imperative sentence without its full stop
};

// What a file is that no format recognises; nothing where that is unknown.
std::optional<ForeignFile> identify_foreign(base::ByteSource& file);

// The same with its remedy, or how it begins: "an empty file", "a text that begins with \"...\"".
LQ_INNER std::string describe_foreign(base::ByteSource& file);

// Whether a file that no format recognises was one of ours by what is left in it: nothing at all, zeros at its
// beginning, or a header of ours behind a beginning that is lost.
LQ_INNER bool has_remains(base::ByteSource& file);

// What files with such a suffix (".h5") are; nothing for one that is not known.
std::optional<ForeignFile> foreign_suffix(std::string_view suffix) noexcept;

}  // namespace lq::format
