// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Nothing but open, pwrite (pread) and close.
#include "raw_transfer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace bench {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags, 0644)) {
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Moves all of `bytes` with `call(pointer, count, offset)`.
template <class Bytes, class Call>
void move_all(const std::string& path, std::uint64_t offset, Bytes bytes, Call call) {
  while (!bytes.empty()) {
    const ssize_t moved = call(bytes.data(), std::min(block, bytes.size()), static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw std::system_error(moved < 0 ? errno : EIO, std::generic_category(), path);
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<std::uint64_t>(moved);
  }
}

}  // namespace

void raw_write(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_CLOEXEC);
  move_all(path, offset, bytes,
           [&](const std::byte* p, std::size_t n, off_t at) { return pwrite(file.get(), p, n, at); });
}

void raw_read(const std::string& path, std::uint64_t offset, std::span<std::byte> bytes) {
  const Descriptor file(path, O_RDONLY | O_CLOEXEC);
  move_all(path, offset, bytes, [&](std::byte* p, std::size_t n, off_t at) { return pread(file.get(), p, n, at); });
}

}  // namespace bench
