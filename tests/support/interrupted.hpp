// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport that does something of the test's own before one chosen operation: somebody else's work in between.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "storage/forwarding.hpp"

namespace lq::testing {

// Something is done before operation number `at` of a transport and its files.
class Interrupted final : public storage::ForwardingTransport {
 public:
  Interrupted(std::int64_t at, std::function<void()> what)
      : ForwardingTransport(storage::posix()), at_(at), what_(std::move(what)) {}
  bool was_interrupted() const noexcept { return next_ > at_; }

  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    pass();
    return ForwardingTransport::open_read(path);
  }
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation& creation) override {
    pass();
    return ForwardingTransport::create(path, creation);
  }
  void rename(const std::string& from, const std::string& to) override {
    pass();
    ForwardingTransport::rename(from, to);
  }
  void publish(const std::string& from, const std::string& to) override {
    pass();
    ForwardingTransport::publish(from, to);
  }
  void remove(const std::string& path) override {
    pass();
    ForwardingTransport::remove(path);
  }
  storage::PathKind kind(const std::string& path) override {
    pass();
    return ForwardingTransport::kind(path);
  }
  storage::Identity identity(const std::string& path) override {
    pass();
    return ForwardingTransport::identity(path);
  }

 protected:
  std::unique_ptr<storage::File> wrap(std::unique_ptr<storage::File> file) override {
    return std::make_unique<Watched>(std::move(file), *this);
  }

 private:
  class Watched final : public storage::ForwardingFile {
   public:
    Watched(std::shared_ptr<File> file, Interrupted& owner) : ForwardingFile(std::move(file)), owner_(owner) {}
    std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
      owner_.pass();
      return ForwardingFile::read_at(offset, buffer);
    }
    void write_at(std::uint64_t offset, base::Bytes bytes) override {
      owner_.pass();
      ForwardingFile::write_at(offset, bytes);
    }

   private:
    Interrupted& owner_;
  };

  void pass() {
    if (next_++ == at_) what_();
  }

  std::int64_t at_, next_ = 0;
  std::function<void()> what_;
};

}  // namespace lq::testing
