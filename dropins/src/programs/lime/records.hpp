// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of the programs over a LIME file: files that close themselves, a walk over the records, and a copy of a
// payload. Output for scripts goes to stdout.
#pragma once

#include <lime.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "programs/frame.hpp"

namespace lq::programs {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open_to_read(const std::string& path);
File open_to_write(const std::string& path);
void close_written(File file, const std::string& path);  // late errors (no space) are thrown here

struct Record {
  LimeReader* reader;
  int message;  // from 1; 0 before the first record that begins one, unless numbered from the first record
  int number;   // within the message, from 1
  std::string type;
  std::uint64_t bytes;
};

enum class FirstRecord { only_if_flagged, begins_a_message };

// Calls visit for every record until it returns false. Throws Failure if the file is truncated or not a LIME file.
void for_each_record(const std::string& path, FirstRecord first, const std::function<bool(const Record&)>& visit);

void copy_payload(const Record& record, std::FILE* out, const std::string& out_name);

}  // namespace lq::programs
