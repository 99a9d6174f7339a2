// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file as it will be: parts of one that is there, other bytes in the place of some. Nothing is copied before it is
// read, whatever the size.
#pragma once

#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "base/inner.hpp"

namespace lq::base {

class LQ_INNER EditedSource final : public ByteSource {
 public:
  // As it is; `original` stays alive.
  explicit EditedSource(ByteSource& original);
  // Zeros, to be replaced by parts of `original` and other bytes.
  EditedSource(ByteSource& original, std::uint64_t zeros);

  const std::string& path() const noexcept override { return original_.path(); }
  std::uint64_t size() const override { return starts_.back(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;

  // The `length` bytes at `offset` become `bytes`, of whatever length.
  void replace(std::uint64_t offset, std::uint64_t length, Bytes bytes);
  // They become the same number of bytes of the original.
  void replace_by_original(std::uint64_t offset, std::uint64_t length, std::uint64_t original_offset);
  void append_zeros(std::uint64_t length);
  bool is_changed() const noexcept { return is_changed_; }

 private:
  enum class Kind { original, literal, zeros };
  struct Part {
    Kind kind = Kind::zeros;
    std::uint64_t length = 0;
    std::uint64_t offset = 0;      // in the original
    std::vector<std::byte> bytes;  // literal
  };

  std::size_t split(std::uint64_t offset);  // number of the part that begins there
  void put(std::uint64_t offset, std::uint64_t length, Part part);
  void count();

  ByteSource& original_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> starts_;  // of each part, and the end
  bool is_changed_ = false;
};

}  // namespace lq::base
