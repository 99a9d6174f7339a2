// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is said of an option when ranks differ in it.
#include "options/agreed.hpp"

namespace lq::options {

std::vector<comm::Stated> stated(const Table& table, const void* options, std::string_view within) {
  std::vector<comm::Stated> result;
  for (const Option& row : table.rows) {
    if (row.ranks != Ranks::same || !row.path.starts_with(within)) continue;
    result.push_back({"the option " + std::string(row.name), row.member.text(options)});
  }
  return result;
}

}  // namespace lq::options
