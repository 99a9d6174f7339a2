// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Only open, pwrite (pread) and close.
#include "bench/raw.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "bench/rounds.hpp"

namespace lq::bench {
namespace {

[[noreturn]] void fail(const std::string& path, const char* doing, int reason) {
  const Code code = reason == ENOSPC || reason == EDQUOT  ? Code::no_space
                    : reason == EACCES || reason == EROFS ? Code::no_permission
                    : reason == ENOENT                    ? Code::not_found
                                                          : Code::io;
  throw Error(code, fmt::format("{}: cannot {}: {}", path, doing, std::strerror(reason)),
              {.path = path, .system_errno = reason});
}

// Moves all of `bytes` with `call(pointer, count, offset)`.
template <class Bytes, class Call>
void move_all(const std::string& path, std::uint64_t offset, Bytes bytes, std::size_t piece, const char* doing,
              Call call) {
  while (!bytes.empty()) {
    const ssize_t moved = call(bytes.data(), std::min(piece, bytes.size()), static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) fail(path, doing, moved < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
    offset += static_cast<std::uint64_t>(moved);
  }
}

}  // namespace

RawFile::RawFile(const std::string& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
  check(fd_ >= 0, "open the file");
}
RawFile::~RawFile() {
  if (fd_ >= 0) ::close(fd_);
}
void RawFile::check(bool is_fine, const char* doing) const {
  if (!is_fine) fail(path_, doing, errno);
}
void RawFile::write(std::uint64_t offset, std::span<const std::byte> bytes, std::size_t piece) const {
  move_all(path_, offset, bytes, piece, "write",
           [&](const std::byte* p, std::size_t n, off_t at) { return ::pwrite(fd_, p, n, at); });
}
void RawFile::read(std::uint64_t offset, std::span<std::byte> bytes, std::size_t piece) const {
  move_all(path_, offset, bytes, piece, "read",
           [&](std::byte* p, std::size_t n, off_t at) { return ::pread(fd_, p, n, at); });
}
void RawFile::sync() const { check(::fsync(fd_) == 0, "sync"); }
void RawFile::drop() const {
  sync();
#ifdef POSIX_FADV_DONTNEED
  errno = ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
#else
  errno = ENOSYS;  // macOS
#endif
  check(errno == 0, "drop from the cache");
}
void RawFile::cut(std::uint64_t bytes) const {
  struct stat found {};
  check(::fstat(fd_, &found) == 0, "look at the file");
  if (static_cast<std::uint64_t>(found.st_size) > bytes) {
    check(::ftruncate(fd_, static_cast<off_t>(bytes)) == 0, "shorten the file");
  }
}
void RawFile::close() { check(::close(std::exchange(fd_, -1)) == 0, "close"); }

StageSeconds raw_write(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes, bool sync) {
  StageWatch watch;
  RawFile file(path, O_WRONLY | O_CREAT);
  watch.end_of(Stage::open);
  file.write(offset, bytes);
  watch.end_of(Stage::storage);
  if (sync) file.sync();
  watch.end_of(Stage::sync);
  file.close();
  watch.end_of(Stage::close);
  return watch.stages();
}

StageSeconds raw_read(const std::string& path, std::uint64_t offset, std::span<std::byte> bytes) {
  StageWatch watch;
  const RawFile file(path, O_RDONLY);
  watch.end_of(Stage::open);
  file.read(offset, bytes);
  watch.end_of(Stage::storage);
  return watch.stages();
}

void sync_file(const std::string& path) { RawFile(path, O_RDONLY).sync(); }
void drop_from_cache(const std::string& path) { RawFile(path, O_RDONLY).drop(); }

// One file per process: the rate of a file system without sharing.

namespace {

class FilesMover : public Mover {
 public:
  FilesMover(const Grid& grid, bool sync) : rank_(grid.rank()), sync_(sync) {}

  Result label() const override { return plain_label("own files", "raw"); }
  Account write(const std::string& path, const BenchField& field) override {
    return {raw_write(own(path), 0, std::as_bytes(field.source()), sync_)};
  }
  Account read(const std::string& path, BenchField& field) override {
    return {raw_read(own(path), 0, std::as_writable_bytes(field.target()))};
  }
  void remove_others(const std::string& path) noexcept override { std::remove(own(path).c_str()); }

 private:
  std::string own(const std::string& path) const { return fmt::format("{}.{:06}", path, rank_); }

  int rank_;
  bool sync_;
};

}  // namespace

std::unique_ptr<Mover> make_files_mover(const Grid& grid, bool sync) {
  return std::make_unique<FilesMover>(grid, sync);
}

Stripes make_striped(const Communicator& ranks, const std::string& path, std::uint64_t count, std::uint64_t bytes) {
  Stripes stripes;
  together(ranks, [&] {
    if (!ranks.is_root()) return;
    // A truncated file keeps its stripes.
    const Grid grid({2, 2, 2, 2});
    const std::vector<double> links(static_cast<std::size_t>(grid.local_volume()) * 72);
    WriteOptions options{.overwrite = true, .stripe_count = count, .stripe_bytes = bytes};
    options.format = "scidac";
    stripes = write(path, grid, gauge(links), options).storage.stripes;
    std::filesystem::resize_file(path, 0);
  });
  const auto of_root = [&](std::uint64_t number) {
    return static_cast<std::uint64_t>(ranks.max(ranks.is_root() ? static_cast<double>(number) : 0));
  };
  stripes.reason = static_cast<StripeReason>(of_root(static_cast<std::uint64_t>(stripes.reason)));
  stripes.count = of_root(stripes.count);
  stripes.bytes = of_root(stripes.bytes);
  return stripes;
}

}  // namespace lq::bench
