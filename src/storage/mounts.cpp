// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lines like "36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw": the third word is the device, the fifth
// the mount point; type and source follow the lone dash, after any number of optional words. White space and
// backslashes within words are written as \040: three octal digits.
#include "storage/file_system.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "base/text.hpp"
#include "storage/transport.hpp"

namespace lq::storage {
namespace {

bool is_octal(char digit) noexcept { return digit >= '0' && digit <= '7'; }

std::string unescaped(std::string_view word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '\\' && word.size() - i > 3 && std::ranges::all_of(word.substr(i + 1, 3), is_octal)) {
      text += static_cast<char>((word[i + 1] - '0') << 6 | (word[i + 2] - '0') << 3 | (word[i + 3] - '0'));
      i += 3;
    } else {
      text += word[i];
    }
  }
  return text;
}

// Length of the mount point as a prefix of the path; 0: it is not above the path.
std::size_t common_length(std::string_view point, std::string_view path) {
  if (point == "/") return path.starts_with('/') ? 1 : 0;
  const bool is_above = path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
  return is_above ? point.size() : 0;
}

// Calls `work` for the lines of this device, split into words.
template <class Work>
void for_each_mount(std::string_view mountinfo, unsigned major, unsigned minor, const Work& work) {
  const std::string device = std::to_string(major) + ":" + std::to_string(minor);
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    const std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    if (line.find(device) == std::string_view::npos) continue;
    const std::vector<std::string_view> words = base::split_words(line);
    if (words.size() >= 7 && words[2] == device) work(words);
  }
}

}  // namespace

MountEntry mount_of(std::string_view mountinfo, unsigned major, unsigned minor, std::string_view path) {
  MountEntry mount;
  std::size_t best = 0;
  for_each_mount(mountinfo, major, minor, [&](const std::vector<std::string_view>& words) {
    const auto dash = std::find(words.begin() + 6, words.end(), "-");
    const auto behind = words.end() - dash;
    std::string point = unescaped(words[4]);
    const std::size_t length = common_length(point, path);
    if (behind < 2 || length < best) return;
    best = length;
    mount = {unescaped(dash[1]), behind > 2 ? unescaped(dash[2]) : "", std::move(point)};
  });
  return mount;
}

std::size_t count_mounts(std::string_view mountinfo, unsigned major, unsigned minor) {
  std::size_t count = 0;
  for_each_mount(mountinfo, major, minor, [&](const std::vector<std::string_view>&) { ++count; });
  return count;
}

std::string read_mountinfo() {
  std::ifstream table("/proc/self/mountinfo", std::ios::binary);
  return {std::istreambuf_iterator<char>(table), std::istreambuf_iterator<char>()};
}

// The table of mounts: it alone determines where files are.

namespace {

struct Table {
  std::atomic<bool> is_used{false};  // without mounts the lock is not used; a forked child might find it locked
  std::mutex mutex;
  std::map<std::string, Transport*> mounts;  // by prefix of the paths
};

Table& table() {
  static Table one;
  return one;
}

}  // namespace

Transport& resolve(const std::string& path) {
  Table& known = table();
  if (!known.is_used.load(std::memory_order_acquire)) return posix();
  const std::lock_guard lock(known.mutex);
  Transport* found = &posix();
  for (const auto& [beginning, transport] : known.mounts) {
    if (path.starts_with(beginning)) found = transport;  // longer prefixes come later
  }
  return *found;
}

Mount::Mount(std::string beginning, Transport& transport) : beginning_(std::move(beginning)) {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  known.is_used.store(true, std::memory_order_release);
  if (known.mounts.emplace(beginning_, &transport).second) return;
  throw Error(Code::wrong_state, "\"" + beginning_ + "\": a transport is mounted here already");
}

Mount::~Mount() {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  known.mounts.erase(beginning_);
}

}  // namespace lq::storage
