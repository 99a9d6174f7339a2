// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes that are read a second time and compared: those that no checksum covers, where a new file will stand for the
// file they come from. One bit that flips on the way into memory is an error then, not a new file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/byte_source.hpp"

namespace lq::base {

// Reads the bytes from `offset` on again. io: they are not `bytes`.
void require_same_again(ByteSource& source, std::uint64_t offset, Bytes bytes);

// Reads twice, in pieces that are still in cache when they are read again.
std::size_t read_twice(ByteSource& source, std::uint64_t offset, MutableBytes buffer);

// A source of which every read is done twice. As many threads at once as the source allows.
class ReadTwice final : public ByteSource {
 public:
  // `source` outlives the object.
  explicit ReadTwice(ByteSource& source) : source_(source) {}
  explicit ReadTwice(std::shared_ptr<ByteSource> source) : owned_(std::move(source)), source_(*owned_) {}
  const std::string& path() const noexcept override { return source_.path(); }
  std::uint64_t size() const override { return source_.size(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override { return source_.next_data(offset); }
  void fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept override { source_.fetch_ahead(offset, bytes); }
  std::unique_ptr<ByteSource> open_other(const std::string& path) const override;

 private:
  std::shared_ptr<ByteSource> owned_;
  ByteSource& source_;
};

}  // namespace lq::base
