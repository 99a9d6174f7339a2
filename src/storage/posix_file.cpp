// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Positioned reads and writes that continue after signals and short transfers.
//
// A process under a file size limit (RLIMIT_FSIZE) is killed by SIGXFSZ when it writes past the limit, unless it
// ignores that signal; then the write fails with EFBIG, which is Error(no_space) here. The library changes no signal
// handlers; Transport::free_space takes the limit into account, so that such a file is refused before its first byte.
#include "storage/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/system.hpp"

namespace lq::storage {

static_assert(sizeof(off_t) == 8, "build with 64-bit file offsets");

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool PosixFile::open(int flags, mode_t mode) noexcept {
  const WatchedCall call("open", path_);
  descriptor_ = uninterrupted([&] { return ::open(path_.c_str(), flags | O_CLOEXEC, mode); });
  return descriptor_ >= 0;
}

std::uint64_t PosixFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw base::errno_error(path_, "find its size", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

std::uint64_t PosixFile::next_data(std::uint64_t offset) const {
#ifdef SEEK_DATA
  if (offset < size()) {
    const off_t found = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
    if (found >= 0) return static_cast<std::uint64_t>(found);
    if (errno == ENXIO) return size();
  }
#endif
  return ByteSource::next_data(offset);  // if unknown, everything may be data
}

std::unique_ptr<base::ByteSource> PosixFile::open_other(const std::string& path) const {
  return posix().open_read(path);
}

std::size_t PosixFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  base::throw_if_interrupted();
  require_position(path_, "read", offset, 0);
  // The kernel refuses reads past the largest position, even if no file has a byte there.
  buffer = buffer.first(std::min<std::uint64_t>(buffer.size(), largest_position - offset));
  std::size_t done = 0;
  while (done < buffer.size()) {
    const WatchedCall call("read", path_, offset + done, buffer.size() - done);
    const ssize_t got =
        ::pread(descriptor_, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      throw position_error(path_, "read", offset + done, buffer.size() - done, errno);
    }
  }
  return done;
}

// A request for cached data costs a lookup of each page: the last byte shows if the range is cached.
void PosixFile::fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept {
  if (bytes == 0 || offset > largest_position || bytes > largest_position - offset) return;
  if (base::is_cached(descriptor_, static_cast<off_t>(offset + bytes - 1))) return;
  base::will_need(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

void PosixFile::write_at(std::uint64_t offset, base::Bytes bytes) {
  require_position(path_, "write", offset, bytes.size());
  while (!bytes.empty()) {
    const WatchedCall call("write", path_, offset, bytes.size());
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    // A write that stops without an error would loop indefinitely; full devices behave like that.
    if (put <= 0) throw position_error(path_, "write", offset, bytes.size(), put < 0 ? errno : ENOSPC);
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void PosixFile::resize(std::uint64_t bytes) {
  require_position(path_, "resize to", 0, bytes);
  const WatchedCall call("resize", path_);
  const int result = uninterrupted([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); });
  if (result != 0) throw base::errno_error(path_, "resize to " + std::to_string(bytes) + " bytes", errno);
}

void PosixFile::reserve(std::uint64_t offset, std::uint64_t bytes) {
  require_position(path_, "reserve", offset, bytes);
  if (bytes == 0) return;
  const WatchedCall call("reserve", path_, offset, bytes);
  int reason = EINTR;
  for (int attempt = 0; reason == EINTR && attempt < 100; ++attempt) {
    const int result = base::reserve_storage(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    reason = result == 0 ? 0 : errno;
  }
  if (reason == 0 || reason == EINTR || reason == EOPNOTSUPP || reason == ENOSYS || reason == EINVAL) return;
  throw position_error(path_, "reserve storage", offset, bytes, reason);
}

void PosixFile::sync() {
  const WatchedCall call("sync", path_);
  if (uninterrupted([&] { return ::fsync(descriptor_); }) == 0) return;
  throw base::errno_error(path_, "bring its data to the disk", errno);
}

void PosixFile::close() {
  if (descriptor_ < 0) return;
  const int descriptor = descriptor_;
  descriptor_ = -1;
  const WatchedCall call("close", path_);
  // After EINTR the descriptor is closed; closing it again could close another thread's file.
  if (::close(descriptor) != 0 && errno != EINTR) throw base::errno_error(path_, "close", errno);
}

}  // namespace lq::storage
