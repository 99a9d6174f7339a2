// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport that lets one chosen operation fail, to prove that whoever uses it survives. Operations of the
// transport and of all its files are counted together, from 0, in the order they are called.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/forwarding.hpp"

namespace lq::testing {

enum class Fault {
  error,        // the operation does nothing and throws Error(io)
  short_write,  // a write stores the first half, then throws; other operations as `error`
  no_space,     // Error(no_space) where an operation can run out of space, else Error(io)
  kill,         // SIGKILL; a write stores the first half before
  gone,         // `error`, and so do all operations after it: nobody is left to remove anything
};

// Which operation fails, and how many there were; shared by a transport and its files.
struct FaultCounter {
  std::int64_t fail_at = -1;  // -1: none, count only
  Fault fault = Fault::error;
  std::function<void()> before_each;  // may be empty
  std::atomic<std::int64_t> operations{0};
  std::atomic<std::int64_t> writes{0};
};

class FaultyTransport final : public storage::ForwardingTransport {
 public:
  // `inner` does the work and outlives this object and its files.
  explicit FaultyTransport(storage::Transport& inner, std::int64_t fail_at = -1, Fault fault = Fault::error,
                           std::function<void()> before_each = {});

  std::int64_t operations() const noexcept { return counter_->operations; }
  std::int64_t writes() const noexcept { return counter_->writes; }
  // Whether the chosen operation was reached.
  bool has_failed() const noexcept { return counter_->fail_at >= 0 && operations() > counter_->fail_at; }

  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  std::unique_ptr<storage::File> open_write(const std::string& path) override;
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation = {}) override;
  void rename(const std::string& from, const std::string& to) override;
  void publish(const std::string& from, const std::string& to) override;
  void remove(const std::string& path) override;
  void sync_directory(const std::string& path_of_file) override;
  void make_directory(const std::string& path) override;
  storage::PathKind kind(const std::string& path) override;
  storage::Identity identity(const std::string& path) override;
  std::optional<std::uint64_t> free_space(const std::string& path) override;
  void copy_permissions(const std::string& from, const std::string& to) override;
  void set_modified(const std::string& path, std::int64_t nanoseconds) override;

 private:
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override;

  std::shared_ptr<FaultCounter> counter_;
};

// Runs `work` in a process of its own. Whether that was killed.
template <class Work>
bool dies_in(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return !WIFEXITED(status);
}

}  // namespace lq::testing
