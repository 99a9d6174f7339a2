// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One part of a partition as bytes of the file: pieces, ascending both in the file and in the part. What two such parts
// have in common is found by passing through both, so that partitions of different arrays, and elements of different
// sizes, meet, too.
#pragma once

#include <cstdint>
#include <optional>

#include <limequat/partition.hpp>

#include "lattice/runs.hpp"

namespace lq::storage {

// Bytes that follow each other in the file and in the part.
struct Piece {
  std::uint64_t file = 0, part = 0, bytes = 0;
  std::uint64_t file_end() const noexcept { return file + bytes; }
};

class PartBytes {
 public:
  // Positions of the part are counted from `first` on. With `around`, the bytes of the file before the array and behind
  // it, up to byte `file_bytes`, are before and behind the elements of the part.
  PartBytes(const Partition& partition, std::uint64_t part, std::uint64_t first = 0,
            std::optional<std::uint64_t> file_bytes = {});

  bool next(Piece& piece);
  // The next piece begins with the first byte of the part at or after this one of the file.
  void seek(std::uint64_t file_byte);

 private:
  bool next_of_elements(Piece& piece);

  FileArray array_;
  std::uint64_t first_;
  std::optional<Piece> before_, behind_;
  lattice::Runs runs_;
  std::uint64_t from_ = 0;  // nothing before this byte of the file is wanted
  bool before_is_done_ = false, behind_is_done_ = false;
};

// Bytes that follow each other in two parts.
struct CommonPiece {
  std::uint64_t file = 0;  // of the first byte
  std::uint64_t one = 0, other = 0;
  std::uint64_t bytes = 0;
};

class CommonBytes {
 public:
  // Both outlive it. Only bytes of the file from `begin` on, and before `end`.
  CommonBytes(PartBytes& one, PartBytes& other, std::uint64_t begin, std::uint64_t end);
  bool next(CommonPiece& piece);

 private:
  bool advance(PartBytes& part, Piece& piece, std::uint64_t to);

  PartBytes &one_, &other_;
  std::uint64_t end_;
  Piece piece_, other_piece_;
  bool any_;
};

}  // namespace lq::storage
