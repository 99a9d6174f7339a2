// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the names of files say: configurations of one run are named alike except for a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lq::ensemble {

struct NameParts {
  std::string series;                  // the path with "*" for the number: "/data/conf.*.lime"
  std::optional<std::int64_t> number;  // the last digits of the name that belong to no suffix of a format
};

NameParts parts_of(std::string_view path);

// The longest suffix of a format that the path has: ".ildg"; empty: none.
std::string_view suffix_of_format(std::string_view path);

}  // namespace lq::ensemble
