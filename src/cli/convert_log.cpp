// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/convert_log.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/text.hpp"

namespace lq::cli {
namespace fs = std::filesystem;

std::string converted_path(const std::string& from, const std::string& folder, std::string_view format) {
  std::string name = fs::path(from).filename().string();
  for (const FormatInfo& known : formats()) {
    const auto suffix = std::ranges::find_if(
        known.suffixes, [&](std::string_view end) { return name.size() > end.size() && name.ends_with(end); });
    if (suffix == known.suffixes.end()) continue;
    name.resize(name.size() - suffix->size());
    break;
  }
  const auto suffixes = format_info(format).suffixes;
  return (fs::path(folder) / (name + std::string(suffixes.empty() ? "" : suffixes.front()))).string();
}

ConvertLog::ConvertLog(const std::string& folder) : path_((fs::path(folder) / "lq-convert.log").string()) {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    // BYTES NAME\tCHECKSUM\tFROM
    const std::size_t space = line.find(' '), tab = line.find('\t');
    if (space == std::string::npos || tab == std::string::npos || tab < space) continue;
    const auto bytes = base::parse_u64(std::string_view(line).substr(0, space));
    if (bytes) bytes_[line.substr(space + 1, tab - space - 1)] = *bytes;
  }
}

bool ConvertLog::has(const std::string& path) const {
  const auto known = bytes_.find(fs::path(path).filename().string());
  std::error_code failure;
  return known != bytes_.end() && fs::file_size(path, failure) == known->second && !failure;
}

void ConvertLog::add(const std::string& path, const std::string& from, const Report& report) {
  std::error_code failure;
  const std::uint64_t bytes = fs::file_size(path, failure);
  // A name with an end of line would be two lines; such a file is looked at the next time.
  const std::string name = fs::path(path).filename().string();
  if (failure || name.find_first_of("\n\t") != std::string::npos) return;
  std::ofstream file(path_, std::ios::app);
  file << fmt::format("{} {}\t{}\t{}\n", bytes, name, report.stored ? to_string(*report.stored) : "-",
                      base::printable(from, 4096));
  file.flush();
  if (file) return;
  const int reason = errno;
  throw Error(reason == ENOSPC || reason == EDQUOT ? Code::no_space
              : reason == EACCES                   ? Code::no_permission
                                                   : Code::io,
              fmt::format("{}: the log of the conversion cannot be written: {}", path_, std::strerror(reason)),
              {.path = path_, .system_errno = reason});
}

}  // namespace lq::cli
