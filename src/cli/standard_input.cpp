// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/standard_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <limequat/error.hpp>

namespace lq::cli {
namespace {

[[noreturn]] void fail(const std::string& what, int reason) {
  const bool is_full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  throw Error(is_full ? Code::no_space : Code::io,
              what + ": " + std::strerror(reason) + " (TMPDIR names another folder for temporary files)",
              {.path = "-", .system_errno = reason});
}

void write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno != EINTR) fail("cannot keep standard input in a temporary file", errno);
    if (written < 0) continue;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

}  // namespace

bool is_pipe(const std::string& path) noexcept {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

StandardInput::StandardInput(const std::string& path) {
  const char* temporary = std::getenv("TMPDIR");
  folder_ = std::string(temporary != nullptr && *temporary != '\0' ? temporary : "/tmp") + "/lq-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) fail("cannot make a folder for standard input", errno);
  path_ = folder_ + "/standard-input";
  try {
    copy(path);
  } catch (...) {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
    throw;
  }
}

StandardInput::~StandardInput() {
  ::unlink(path_.c_str());
  ::rmdir(folder_.c_str());
}

void StandardInput::copy(const std::string& from) const {
  struct Closed {
    int file;
    ~Closed() {
      if (file != STDIN_FILENO) ::close(file);
    }
  };
  const Closed source{from == "-" ? STDIN_FILENO : ::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
  if (source.file < 0) fail("cannot open the pipe " + from, errno);
  const Closed target{::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (target.file < 0) fail("cannot make a file for standard input", errno);
  std::vector<char> block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(source.file, block.data(), block.size());
    if (got == 0) return;
    if (got < 0 && errno != EINTR) fail("cannot read standard input", errno);
    if (got > 0) write_all(target.file, block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace lq::cli
