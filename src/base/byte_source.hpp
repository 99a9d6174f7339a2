// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes at positions: what a format needs of a file to scan it. Transports provide it for files, MemorySource
// for bytes in memory (tests, fuzzers).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.hpp"

namespace lq::base {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // For messages.
  virtual const std::string& path() const noexcept = 0;
  virtual std::uint64_t size() const = 0;
  // Reads as many bytes as there are, up to buffer.size(); returns their number. Throws Error(io).
  virtual std::size_t read_at(std::uint64_t offset, MutableBytes buffer) = 0;
  // The first byte from `offset` on that may be other than a hole of zeros; size() where there is none.
  virtual std::uint64_t next_data(std::uint64_t offset) const { return std::min(offset, size()); }
  // Another file of the same storage, for formats of several files. Throws Error(not_found), as where there are no
  // other files.
  virtual std::unique_ptr<ByteSource> open_other(const std::string& path) const;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(Bytes bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;

 private:
  Bytes bytes_;
  std::string path_;
};

}  // namespace lq::base
