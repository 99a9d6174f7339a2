// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Many files converted into one folder: what they are called there, and a log in the folder, by which a run that was
// interrupted goes on.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <limequat/report.hpp>

namespace lq::cli {

// "conf.10.ildg" becomes "FOLDER/conf.10.nersc": the suffix of a format is replaced by that of another, whatever else
// stands behind a dot stays.
std::string converted_path(const std::string& from, const std::string& folder, std::string_view format);

// FOLDER/lq-convert.log, a line for each file that is complete: its bytes, its name, its checksum, where it came from.
class ConvertLog {
 public:
  // Reads what is there; lines that are no such lines are passed over.
  explicit ConvertLog(const std::string& folder);

  // Whether the file was completed, and has the size that it had then.
  bool has(const std::string& path) const;
  // io, no_permission, no_space.
  void add(const std::string& path, const std::string& from, const Report& report);

 private:
  std::string path_;
  std::map<std::string, std::uint64_t> bytes_;  // by name
};

}  // namespace lq::cli
