// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of the programs on multifiles: how they begin and end, a multifile opened for reading, and writing its
// contents to plain files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.hpp"
#include "format/sion/set.hpp"
#include "programs/frame.hpp"

namespace lq::programs {

struct Program {
  std::string_view name;     // "siondump"
  std::string_view usage;    // the part after the name, and all options
  std::string_view options;  // as for getopt, without h and V
};

// The command line, option by option.
class Arguments {
 public:
  Arguments(const Program& program, int argc, char** argv);

  // Calls `take` for each option with its value. -h and -V end the program with status 1, as in SIONlib.
  void for_each(const std::function<void(char option, const char* value)>& take);
  // The non-option arguments; throws WrongUsage unless there are exactly that many.
  std::vector<std::string> rest(std::size_t count) const;
  const std::string& path() const noexcept { return path_; }  // of the program, as called

 private:
  const Program& program_;
  int argc_;
  char** argv_;
  std::string path_;
};

// The value of an option as a whole number; throws WrongUsage if it is not one or out of these bounds.
std::int64_t whole_number(const char* text, std::int64_t smallest, std::int64_t largest);

// In the frame of these programs.
int run(const Program& program, int argc, char** argv, const std::function<void(Arguments& arguments)>& work);

std::unique_ptr<base::ByteSource> open_file(const std::string& path);
// Prints a warning for files of older versions.
format::sion::Set open_set(const std::string& path);

// In files up to version 3 these are not the actual widths of chunks.
std::vector<std::int64_t> stored_widths(const format::sion::Set& set);

// "512 bytes (  0.00 MB)": the file system's block size when the multifile was made.
std::string block_size(const format::sion::Set& set);
double megabytes(std::uint64_t bytes) noexcept;  // of 2^20
double percent(std::uint64_t part, std::uint64_t whole) noexcept;
std::string_view order_name(ByteOrder order) noexcept;
std::string_view key_value_name(format::sion::KeyValueMode mode) noexcept;
// Sums over the set; the largest number of chunks of a task.
std::uint64_t data_bytes(const format::sion::Set& set) noexcept;
std::uint64_t largest_count(const format::sion::Set& set) noexcept;
std::uint64_t largest_width(const format::sion::Set& set) noexcept;

// Labelled lines about a program's work, in the form of these programs.
class Lines {
 public:
  Lines(std::FILE* stream, std::string_view program) : stream_(stream), program_(program) {}

  void text(std::string_view label, std::string_view value) const;
  void name(std::string_view label, const std::string& path) const;
  void number(std::string_view label, std::uint64_t value) const;
  // Facts about the multifile, between the program's own lines: how its data are stored, and its sizes.
  void nature(const format::sion::Set& set) const;
  void sizes(const format::sion::Set& set) const;
  void bytes(std::string_view label, std::uint64_t bytes) const;

 private:
  std::FILE* stream_;
  std::string_view program_;
};

// "SIONlib Version 1.7.6 (git_rev Limequat), fileformat version 5".
std::string library_version();

// Writes contents of a multifile to a plain file.
class OutputFile {
 public:
  // Standard output.
  OutputFile() : file_(stdout), path_("the standard output") {}
  // A new file, or an existing one, truncated or appended to. Throws Error(io), and invalid_argument for a file of
  // the set being read.
  OutputFile(const std::string& path, bool append, const format::sion::Set& set);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Copies bytes of a file in pieces of at most a mebibyte. Throws Error: truncated, io, no_space.
  void copy(base::ByteSource& source, std::uint64_t offset, std::uint64_t length);
  // Throws Error unless everything could be written.
  void close();

 private:
  [[noreturn]] void fail() const;

  std::FILE* file_;
  std::string path_;
};

}  // namespace lq::programs
