// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The faults of FaultyTransport.
#include "support/faulty.hpp"

#include <cerrno>
#include <csignal>

#include "base/error.hpp"
#include "support/held_memory.hpp"

namespace lq::testing {
namespace {

enum class Space { needed, not_needed };

// Counts an operation; true if it is the one to fail.
bool is_chosen(FaultCounter& counter) {
  if (counter.before_each) counter.before_each();
  const std::int64_t number = counter.operations++;
  const bool is_after = counter.fault == Fault::gone && counter.fail_at >= 0 && number > counter.fail_at;
  return number == counter.fail_at || is_after;
}

[[noreturn]] void fail(const FaultCounter& counter, const std::string& path, const std::string& what, Space space) {
  if (counter.fault == Fault::kill) std::raise(SIGKILL);
  const bool full = counter.fault == Fault::no_space && space == Space::needed;
  throw base::errno_error(path, what + " (injected fault)", full ? ENOSPC : EIO);
}

void pass(FaultCounter& counter, const std::string& path, const std::string& what, Space space = Space::not_needed) {
  if (is_chosen(counter)) fail(counter, path, what, space);
}

class FaultyFile final : public storage::ForwardingFile {
 public:
  FaultyFile(std::unique_ptr<storage::File> inner, std::shared_ptr<FaultCounter> counter)
      : storage::ForwardingFile(std::move(inner)), counter_(std::move(counter)) {}

  storage::Identity identity() const override {
    pass(*counter_, path(), "find out which file it is");
    return inner().identity();
  }

  std::uint64_t size() const override {
    pass(*counter_, path(), "find its size");
    return inner().size();
  }

  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    pass(*counter_, path(), "read");
    return inner().read_at(offset, buffer);
  }

  void write_at(std::uint64_t offset, base::Bytes bytes) override {
    ++counter_->writes;
    const OwnedBy storage(nullptr);  // what a file in memory takes is not the rank's
    if (!is_chosen(*counter_)) return inner().write_at(offset, bytes);
    const bool halfway = counter_->fault == Fault::short_write || counter_->fault == Fault::kill;
    if (halfway) inner().write_at(offset, bytes.first(bytes.size() / 2));
    fail(*counter_, path(), "write", Space::needed);
  }

  void reserve(std::uint64_t offset, std::uint64_t bytes) override {
    pass(*counter_, path(), "reserve storage", Space::needed);
    inner().reserve(offset, bytes);
  }
  void resize(std::uint64_t bytes) override {
    pass(*counter_, path(), "resize", Space::needed);
    inner().resize(bytes);
  }

  void sync() override {
    pass(*counter_, path(), "sync", Space::needed);
    inner().sync();
  }

  // The descriptor is gone also when close reports a failure.
  void close() override {
    const bool chosen = is_chosen(*counter_);
    if (!chosen || counter_->fault != Fault::kill) inner().close();
    if (chosen) fail(*counter_, path(), "close", Space::needed);
  }

 private:
  std::shared_ptr<FaultCounter> counter_;
};

}  // namespace

FaultyTransport::FaultyTransport(storage::Transport& inner, std::int64_t fail_at, Fault fault,
                                 std::function<void()> before_each)
    : storage::ForwardingTransport(inner), counter_(std::make_shared<FaultCounter>()) {
  counter_->fail_at = fail_at;
  counter_->fault = fault;
  counter_->before_each = std::move(before_each);
}

std::unique_ptr<storage::File> FaultyTransport::wrap(std::unique_ptr<storage::File> file) {
  return std::make_unique<FaultyFile>(std::move(file), counter_);
}

std::unique_ptr<storage::File> FaultyTransport::open_read(const std::string& path) {
  pass(*counter_, path, "open for reading");
  return storage::ForwardingTransport::open_read(path);
}

std::unique_ptr<storage::File> FaultyTransport::open_write(const std::string& path) {
  pass(*counter_, path, "open for writing");
  return storage::ForwardingTransport::open_write(path);
}

std::unique_ptr<storage::File> FaultyTransport::create(const std::string& path, const storage::Creation& creation) {
  pass(*counter_, path, "create", Space::needed);
  return storage::ForwardingTransport::create(path, creation);
}

void FaultyTransport::rename(const std::string& from, const std::string& to) {
  pass(*counter_, from, "rename to " + to, Space::needed);
  inner().rename(from, to);
}

void FaultyTransport::publish(const std::string& from, const std::string& to) {
  pass(*counter_, from, "publish as " + to, Space::needed);
  inner().publish(from, to);
}

void FaultyTransport::remove(const std::string& path) {
  pass(*counter_, path, "remove");
  inner().remove(path);
}

void FaultyTransport::sync_directory(const std::string& path_of_file) {
  pass(*counter_, path_of_file, "sync the directory");
  inner().sync_directory(path_of_file);
}

void FaultyTransport::make_directory(const std::string& path) {
  pass(*counter_, path, "make the directory");
  inner().make_directory(path);
}

storage::PathKind FaultyTransport::kind(const std::string& path) {
  pass(*counter_, path, "look it up");
  return inner().kind(path);
}

storage::Identity FaultyTransport::identity(const std::string& path) {
  pass(*counter_, path, "find out which file it is");
  return inner().identity(path);
}

std::optional<std::uint64_t> FaultyTransport::free_space(const std::string& path) {
  pass(*counter_, path, "find the free space");
  return inner().free_space(path);
}

void FaultyTransport::copy_permissions(const std::string& from, const std::string& to) {
  pass(*counter_, from, "copy its permissions");
  inner().copy_permissions(from, to);
}

void FaultyTransport::set_modified(const std::string& path, std::int64_t nanoseconds) {
  pass(*counter_, path, "set its time");
  inner().set_modified(path, nanoseconds);
}

}  // namespace lq::testing
