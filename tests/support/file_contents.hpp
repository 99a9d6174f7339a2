// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files as tests look at them: what lies in a folder, and the bytes of each.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "storage/transport.hpp"
#include "support/contents.hpp"

namespace lq::testing {

// Names without the folder, in order.
inline std::vector<std::string> files_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// A sound multifile of the conformance vectors.
inline std::string golden_path(const std::string& name) {
  return std::string(LQ_SOURCE_DIR) + "/tests/golden/good/sion/" + name;
}

inline std::vector<std::byte> bytes_in(storage::Transport& transport, const std::string& path) {
  const auto file = transport.open_read(path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(file->size()));
  bytes.resize(file->read_at(0, bytes));
  return bytes;
}

// Whether a file is called ".NAME.xxxxxxxx", as it is until it is complete.
inline bool is_temporary(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.size() > 10 && name.front() == '.' && name[name.size() - 9] == '.';
}

}  // namespace lq::testing
