// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open file of the POSIX file system.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "storage/transport.hpp"

namespace lq::storage {

// Calls of the file system in progress, for the stall watch.

// While it exists, the call is in progress. Records nothing if there is no watch. `path` outlives it.
class WatchedCall {
 public:
  WatchedCall(const char* name, const std::string& path, std::uint64_t offset = 0, std::uint64_t bytes = 0) noexcept;
  ~WatchedCall();
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;

 private:
  friend class StallWatch;
  using Time = std::chrono::steady_clock::time_point;

  const char* name_;
  const std::string& path_;
  std::uint64_t offset_, bytes_;
  bool is_listed_ = false;
  Time begun_, tell_at_;
  WatchedCall* next_ = nullptr;
  WatchedCall* before_ = nullptr;
};

// Repeats a system call as long as signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Results of fstat, and of stat by name.
struct OpenFileFacts {
  Identity identity;
  mode_t mode = 0;
};
OpenFileFacts facts_of_open(int descriptor, const std::string& path);
Identity identity_of_name(const std::string& path);

class PosixFile final : public File {
 public:
  // Not open yet, so that nothing leaks if there is no memory for the object.
  explicit PosixFile(std::string path) : path_(std::move(path)) {}
  ~PosixFile() override;
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  // Local. True if open(2) succeeds; errno has the reason if not.
  bool open(int flags, mode_t mode = 0) noexcept;

  const std::string& path() const noexcept override { return path_; }
  Identity identity() const override { return facts_of_open(descriptor_, path_).identity; }
  Identity identity_when_opened() const override { return when_opened_ ? *when_opened_ : identity(); }
  // Local. The identity found when it was opened.
  void set_identity_when_opened(const Identity& found) noexcept { when_opened_ = found; }
  std::uint64_t size() const override;
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override;
  void fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept override;
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  void resize(std::uint64_t bytes) override;
  void reserve(std::uint64_t offset, std::uint64_t bytes) override;
  void sync() override;
  void close() override;
  int descriptor() const noexcept { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;  // closed, or not open yet
  std::optional<Identity> when_opened_;
};

}  // namespace lq::storage
