// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/sion/output.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

namespace lq::programs {
namespace {

constexpr std::uint64_t piece_bytes = 1 << 20;

// A file that is read must not be emptied.
void require_other_file(const std::string& path, const format::sion::Set& set) {
  struct stat there = {};
  if (stat(path.c_str(), &there) != 0) return;
  for (const format::sion::PhysicalFile& file : set.files()) {
    struct stat read = {};
    if (stat(file.path.c_str(), &read) == 0 && read.st_dev == there.st_dev && read.st_ino == there.st_ino) {
      throw Error(Code::invalid_argument, fmt::format("{}: is the multifile itself; choose another name", path),
                  {.path = path});
    }
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path, bool append, const format::sion::Set& set)
    : file_(nullptr), path_(path) {
  require_other_file(path, set);
  file_ = std::fopen(path.c_str(), append ? "ab" : "wb");
  if (file_ == nullptr) fail();
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void OutputFile::copy(base::ByteSource& source, std::uint64_t offset, std::uint64_t length) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(length, piece_bytes)));
  while (length > 0) {
    const base::MutableBytes piece(buffer.data(), static_cast<std::size_t>(std::min(length, piece_bytes)));
    if (source.read_at(offset, piece) < piece.size()) {
      throw Error(Code::truncated, fmt::format("{}: ends before byte {}", source.path(), offset + piece.size()),
                  {.path = source.path(), .offset = offset});
    }
    if (std::fwrite(piece.data(), 1, piece.size(), file_) != piece.size()) fail();
    offset += piece.size();
    length -= piece.size();
  }
}

void OutputFile::close() {
  std::FILE* const file = std::exchange(file_, nullptr);
  const bool failed = std::ferror(file) != 0;
  if ((file == stdout ? std::fflush(file) : std::fclose(file)) != 0 || failed) fail();
}

void OutputFile::fail() const {
  const int reason = errno;
  throw Error(reason == ENOSPC || reason == EDQUOT ? Code::no_space : Code::io,
              fmt::format("{}: cannot write: {}", path_, std::strerror(reason)), {.path = path_});
}

}  // namespace lq::programs
