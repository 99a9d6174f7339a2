// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Adapts a caller's Storage to the transfer engine's file.
#pragma once

#include <limequat/storage.hpp>

#include "base/error.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// The caller's file in the library's interface. Anything beyond reading and writing is up to the caller.
class StorageFile final : public storage::File {
 public:
  explicit StorageFile(Storage& storage) : storage_(storage), path_(storage.path()) {}

  const std::string& path() const noexcept override { return path_; }
  storage::Identity identity() const override { refuse("identify"); }
  std::uint64_t size() const override { refuse("ask for the size"); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return storage_.read_at(offset, buffer);
  }
  void write_at(std::uint64_t offset, base::Bytes bytes) override { storage_.write_at(offset, bytes); }
  void resize(std::uint64_t) override { refuse("resize"); }
  void reserve(std::uint64_t, std::uint64_t) override { refuse("reserve storage for"); }
  void sync() override { refuse("sync"); }
  void close() override { refuse("close"); }

 private:
  [[noreturn]] void refuse(const char* what) const {
    base::fail(Code::internal, {.path = path_}, "cannot {} a file of the caller", what);
  }

  Storage& storage_;
  std::string path_;
};

}  // namespace lq::io
