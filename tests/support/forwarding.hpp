// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport that does what another one does, and its files: tests override what they want to see or to spoil.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "transport/transport.hpp"

namespace lq::testing {

class ForwardingFile : public transport::File {
 public:
  explicit ForwardingFile(std::unique_ptr<transport::File> inner) : inner_(std::move(inner)) {}
  const std::string& path() const noexcept override { return inner_->path(); }
  transport::Identity identity() const override { return inner_->identity(); }
  std::uint64_t size() const override { return inner_->size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return inner_->read_at(offset, buffer);
  }
  std::uint64_t next_data(std::uint64_t offset) const override { return inner_->next_data(offset); }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return inner_->open_other(path);
  }
  void write_at(std::uint64_t offset, base::Bytes bytes) override { inner_->write_at(offset, bytes); }
  void reserve(std::uint64_t offset, std::uint64_t bytes) override { inner_->reserve(offset, bytes); }
  void resize(std::uint64_t bytes) override { inner_->resize(bytes); }
  void sync() override { inner_->sync(); }
  void close() override { inner_->close(); }

 protected:
  transport::File& inner() const noexcept { return *inner_; }

 private:
  std::unique_ptr<transport::File> inner_;
};

// `inner` does the work and outlives this object and its files, which wrap() makes of its own.
class ForwardingTransport : public transport::Transport {
 public:
  explicit ForwardingTransport(transport::Transport& inner) : inner_(inner) {}
  std::unique_ptr<transport::File> open_read(const std::string& path) override { return wrap(inner_.open_read(path)); }
  std::unique_ptr<transport::File> open_write(const std::string& path) override {
    return wrap(inner_.open_write(path));
  }
  std::unique_ptr<transport::File> create(const std::string& path, const transport::Creation& creation = {}) override {
    return wrap(inner_.create(path, creation));
  }
  void rename(const std::string& from, const std::string& to) override { inner_.rename(from, to); }
  void publish(const std::string& from, const std::string& to) override { inner_.publish(from, to); }
  void remove(const std::string& path) override { inner_.remove(path); }
  void sync_directory(const std::string& path_of_file) override { inner_.sync_directory(path_of_file); }
  transport::PathKind kind(const std::string& path) override { return inner_.kind(path); }
  transport::Identity identity(const std::string& path) override { return inner_.identity(path); }
  std::optional<std::uint64_t> free_space(const std::string& path) override { return inner_.free_space(path); }
  transport::Unit unit(const std::string& path) override { return inner_.unit(path); }
  void copy_permissions(const std::string& from, const std::string& to) override { inner_.copy_permissions(from, to); }

 protected:
  virtual std::unique_ptr<transport::File> wrap(std::unique_ptr<transport::File> file) { return file; }
  transport::Transport& inner() const noexcept { return inner_; }

 private:
  transport::Transport& inner_;
};

}  // namespace lq::testing
