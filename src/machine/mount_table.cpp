// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines like "36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw": the third word is the device, the type
// follows the lone dash, behind any number of optional words.
#include "machine/mount_table.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace lq::machine {

std::string type_of_mount(std::string_view mountinfo, unsigned major, unsigned minor) {
  const std::string device = std::to_string(major) + ":" + std::to_string(minor);
  std::string type;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    const std::vector<std::string_view> words = base::split_words(mountinfo.substr(0, end));
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    if (words.size() < 7 || words[2] != device) continue;
    const auto dash = std::find(words.begin() + 6, words.end(), "-");
    if (words.end() - dash > 1) type = *(dash + 1);
  }
  return type;
}

}  // namespace lq::machine
