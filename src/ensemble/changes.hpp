// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What changed between two pages about an ensemble. A page carries its data as JSON; the page that is about to be
// replaced shows the earlier state of the files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lq::ensemble {

// Paths of at most `most_listed` files, and the number of all.
struct ChangedFiles {
  static constexpr std::size_t most_listed = 100;
  std::uint64_t count = 0;
  std::vector<std::string> paths;

  void add(const std::string& path) {
    if (++count <= most_listed) paths.push_back(path);
  }
};

struct Changes {
  std::string since;  // when the earlier page was made
  ChangedFiles added, gone, rewritten;
  ChangedFiles failed;    // newly damaged, incomplete, unreadable or missing
  ChangedFiles verified;  // newly sound or consistent
};

// Compares two pages' data, in the order old, new; nothing if the old data are not a page's, or for other folders.
std::optional<Changes> changes_between(std::string_view old_data, std::string_view new_data);

// The data in the text of a page; empty if it is not a page.
std::string_view data_of_page(std::string_view page);

}  // namespace lq::ensemble
