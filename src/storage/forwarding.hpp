// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport, and its files, that forward all calls to another one; derived classes override what differs.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/byte_source.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

class ForwardingFile : public File {
 public:
  explicit ForwardingFile(std::shared_ptr<File> inner) : inner_(std::move(inner)) {}
  const std::string& path() const noexcept override { return inner_->path(); }
  Identity identity() const override { return inner_->identity(); }
  bool reads_serially() const noexcept override { return inner_->reads_serially(); }
  std::uint64_t size() const override { return inner_->size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return inner_->read_at(offset, buffer);
  }
  std::uint64_t next_data(std::uint64_t offset) const override { return inner_->next_data(offset); }
  void fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept override { inner_->fetch_ahead(offset, bytes); }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return inner_->open_other(path);
  }
  void write_at(std::uint64_t offset, base::Bytes bytes) override { inner_->write_at(offset, bytes); }
  void reserve(std::uint64_t offset, std::uint64_t bytes) override { inner_->reserve(offset, bytes); }
  void resize(std::uint64_t bytes) override { inner_->resize(bytes); }
  void sync() override { inner_->sync(); }
  void close() override { inner_->close(); }

 protected:
  File& inner() const noexcept { return *inner_; }

 private:
  std::shared_ptr<File> inner_;
};

// `inner` does the work and outlives this object and its files; wrap() turns its files into those of this transport.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(Transport& inner) : inner_(inner) {}
  std::unique_ptr<File> open_read(const std::string& path) override { return wrap(inner_.open_read(path)); }
  std::unique_ptr<File> open_write(const std::string& path) override { return wrap(inner_.open_write(path)); }
  std::unique_ptr<File> create(const std::string& path, const Creation& creation = {}) override {
    return wrap(inner_.create(path, creation));
  }
  void rename(const std::string& from, const std::string& to) override { inner_.rename(from, to); }
  void publish(const std::string& from, const std::string& to) override { inner_.publish(from, to); }
  void remove(const std::string& path) override { inner_.remove(path); }
  void sync_directory(const std::string& path_of_file) override { inner_.sync_directory(path_of_file); }
  void make_directory(const std::string& path) override { inner_.make_directory(path); }
  PathKind kind(const std::string& path) override { return inner_.kind(path); }
  Identity identity(const std::string& path) override { return inner_.identity(path); }
  std::optional<std::uint64_t> free_space(const std::string& path) override { return inner_.free_space(path); }
  StorageTraits unit(const std::string& path) override { return inner_.unit(path); }
  Striping set_stripes(const std::string& path, const std::string& spare, std::uint64_t file_bytes,
                       const StripeRequest& request) override {
    return inner_.set_stripes(path, spare, file_bytes, request);
  }
  void copy_permissions(const std::string& from, const std::string& to) override { inner_.copy_permissions(from, to); }
  void give_permissions(const std::string& from, const std::string& to) override { inner_.give_permissions(from, to); }
  void keep_private(const std::string& like, const std::string& to) override { inner_.keep_private(like, to); }
  void set_modified(const std::string& path, std::int64_t nanoseconds) override {
    inner_.set_modified(path, nanoseconds);
  }

 protected:
  virtual std::unique_ptr<File> wrap(std::unique_ptr<File> file) { return file; }
  Transport& inner() const noexcept { return inner_; }

 private:
  Transport& inner_;
};

// A transport whose files, when opened for reading, perform every read twice (base/byte_source.hpp).
class TwiceReadFile final : public ForwardingFile {
 public:
  using ForwardingFile::ForwardingFile;
  Identity identity_when_opened() const override { return inner().identity_when_opened(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return base::read_twice(inner(), offset, buffer);
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return std::make_unique<base::ReadTwice>(inner().open_other(path));
  }
};

class TwiceRead final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<File> open_read(const std::string& path) override {
    return std::make_unique<TwiceReadFile>(ForwardingTransport::open_read(path));
  }
};

}  // namespace lq::storage
