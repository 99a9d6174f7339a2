// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open file of the POSIX file system.
#pragma once

#include <string>

#include "transport/transport.hpp"

namespace lq::transport {

class PosixFile final : public File {
 public:
  // Takes the descriptor.
  PosixFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  ~PosixFile() override;
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override;
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override;
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  void resize(std::uint64_t bytes) override;
  void reserve(std::uint64_t offset, std::uint64_t bytes) override;
  void sync() override;
  void close() override;
  int descriptor() const noexcept { return descriptor_; }

 private:
  std::string path_;
  int descriptor_;  // -1: closed
};

}  // namespace lq::transport
