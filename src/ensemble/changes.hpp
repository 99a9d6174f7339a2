// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What changed between two pages about an ensemble. A page carries its data as JSON; the one that is about to be
// replaced says how the files were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lq::ensemble {

// Paths of at most `most_listed` files, and how many there are.
struct ChangedFiles {
  static constexpr std::size_t most_listed = 100;
  std::uint64_t count = 0;
  std::vector<std::string> paths;

  void add(const std::string& path) {
    if (++count <= most_listed) paths.push_back(path);
  }
};

struct Changes {
  std::string since;  // when the earlier page was made, as it states
  ChangedFiles added, gone, rewritten;
  ChangedFiles failed;      // are damaged, incomplete, unreadable or missing, and were not
  ChangedFiles verified;    // are sound or consistent, and were not
  bool is_partial = false;  // of files that both pages list; not whether others are new or gone
};

// Of two pages' data, in the order old, new; nothing if the old one is not data of a page, or is about other folders.
std::optional<Changes> changes_between(std::string_view old_data, std::string_view new_data);

// The data in the text of a page; empty: it is none.
std::string_view data_of_page(std::string_view page);

}  // namespace lq::ensemble
