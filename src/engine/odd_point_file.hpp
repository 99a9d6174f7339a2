// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a gauge field as one sequence of bytes, where the file has a place for odd sites only: the links of the
// others lie beside those of their neighbours (Payload::at_odd_points). Blocks of the file are kept, of two time
// slices and some more, so that who goes from front to back reads and writes each block once. Only bytes that were
// handed over are written, so that ranks may write what they have in any order. Not for several threads at once.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <limequat/catalog.hpp>

#include "lattice/odd_points.hpp"
#include "storage/transport.hpp"

namespace lq::engine {

class OddPointFile final : public storage::File {
 public:
  // `file` outlives the object.
  OddPointFile(const Payload& payload, storage::File& file);

  const std::string& path() const noexcept override { return file_.path(); }
  std::uint64_t size() const override { return bytes_; }
  // truncated: the file ends before its data do.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  storage::Identity identity() const override { return file_.identity(); }
  void sync() override { file_.sync(); }
  void close() override { file_.close(); }
  // A sequence has no size of its own to be set.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

  // Writes what waits for its neighbours.
  void flush();

 private:
  struct Block {
    std::uint64_t number = 0;
    std::vector<std::byte> bytes;
    std::vector<bool> filled = {};  // units that were handed over
    std::uint64_t units = 0;        // how many
  };
  using Blocks = std::list<Block>;

  // Calls copy(bytes of a block, place in the sequence from `offset` on) for each piece of a link.
  template <class Copy>
  void for_each_piece(std::uint64_t offset, std::uint64_t length, Copy&& copy);
  std::uint64_t block_size(std::uint64_t number) const noexcept;
  Block& kept_block(std::uint64_t number, bool reads);
  void drop_oldest();
  void write_filled(const Block& block);

  storage::File& file_;
  lattice::OddPoints points_;
  std::uint64_t begin_, bytes_, site_bytes_, unit_, block_bytes_;
  std::size_t most_blocks_;
  Blocks blocks_;  // oldest first
  std::unordered_map<std::uint64_t, Blocks::iterator> by_number_;
  std::vector<std::byte> spare_;  // of a block that went, for the next one
};

}  // namespace lq::engine
