// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What programs take out of a multifile and put into a plain file.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/byte_source.hpp"
#include "format/sion/set.hpp"

namespace lq::programs {

class OutputFile {
 public:
  // The standard output.
  OutputFile() : file_(stdout), path_("the standard output") {}
  // A new file, or an old one with nothing in it or at its end. Throws Error(io), and invalid_argument for a file of
  // the set that is read.
  OutputFile(const std::string& path, bool append, const format::sion::Set& set);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Copies bytes of a file in pieces of at most a mebibyte. Throws Error: truncated, io, no_space.
  void copy(base::ByteSource& source, std::uint64_t offset, std::uint64_t length);
  // Throws Error when not everything could be written.
  void close();

 private:
  [[noreturn]] void fail() const;

  std::FILE* file_;
  std::string path_;
};

}  // namespace lq::programs
