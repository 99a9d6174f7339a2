// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/part_bytes.hpp"

#include <algorithm>
#include <array>

#include "storage/cuts.hpp"

namespace lq::storage {

namespace {

// Elements that follow each other in the file also do so in a part that keeps their order.
lattice::Runs runs_in_file(const Partition& partition, std::uint64_t number) {
  const lattice::Part whole = whole_of(partition.array());
  const lattice::Part part = distribution_of(partition.array(), partition.cuts()).part(number);
  const std::array<const lattice::Part*, 2> both{&whole, &part};
  return lattice::Runs(both, lattice::Runs::Lead::contiguous);
}

// What is left of a piece from a byte of the file on.
Piece cut_off(const Piece& piece, std::uint64_t from) noexcept {
  const std::uint64_t off = from > piece.file ? std::min(from - piece.file, piece.bytes) : 0;
  return {piece.file + off, piece.part + off, piece.bytes - off};
}

}  // namespace

PartBytes::PartBytes(const Partition& partition, std::uint64_t part, std::uint64_t first,
                     std::optional<std::uint64_t> file_bytes)
    : array_(partition.array()), first_(first), runs_(runs_in_file(partition, part)) {
  if (!file_bytes) return;
  before_ = Piece{0, first - array_.begin, array_.begin};
  behind_ = Piece{array_.end(), first + partition.elements(part) * array_.element_bytes, *file_bytes - array_.end()};
}

bool PartBytes::next_of_elements(Piece& piece) {
  for (lattice::SpacedRun run; runs_.next(run);) {
    const std::uint64_t element = array_.element_bytes;
    const Piece all{array_.begin + static_cast<std::uint64_t>(run.position[0]) * element,
                    first_ + static_cast<std::uint64_t>(run.position[1]) * element, run.count * element};
    piece = cut_off(all, from_);
    if (piece.bytes > 0) return true;
  }
  return false;
}

bool PartBytes::next(Piece& piece) {
  if (before_ && !before_is_done_) {
    before_is_done_ = true;
    piece = cut_off(*before_, from_);
    if (piece.bytes > 0) return true;
  }
  if (next_of_elements(piece)) return true;
  if (behind_ && !behind_is_done_) {
    behind_is_done_ = true;
    piece = cut_off(*behind_, from_);
    if (piece.bytes > 0) return true;
  }
  return false;
}

void PartBytes::seek(std::uint64_t file_byte) {
  from_ = file_byte;
  before_is_done_ = behind_is_done_ = false;
  const std::uint64_t in_array = file_byte > array_.begin ? (file_byte - array_.begin) / array_.element_bytes : 0;
  runs_.seek(static_cast<std::int64_t>(in_array));
}

CommonBytes::CommonBytes(PartBytes& one, PartBytes& other, std::uint64_t begin, std::uint64_t end)
    : one_(one), other_(other), end_(end) {
  one_.seek(begin);
  other_.seek(begin);
  any_ = one_.next(piece_) && other_.next(other_piece_);
}

// To the first piece with a byte at or behind `to`: the next one is tried before it is sought.
bool CommonBytes::advance(PartBytes& part, Piece& piece, std::uint64_t to) {
  if (!part.next(piece)) return false;
  if (piece.file_end() > to) return true;
  part.seek(to);
  return part.next(piece);
}

bool CommonBytes::next(CommonPiece& piece) {
  while (any_) {
    const std::uint64_t begin = std::max(piece_.file, other_piece_.file);
    const std::uint64_t end = std::min({piece_.file_end(), other_piece_.file_end(), end_});
    if (begin >= end_) break;
    piece = {begin, piece_.part + (begin - piece_.file), other_piece_.part + (begin - other_piece_.file), end - begin};
    const bool found = begin < end;
    // The one that ends first goes on, to where the other one has bytes left.
    if (piece_.file_end() <= other_piece_.file_end()) {
      any_ = advance(one_, piece_, std::max(other_piece_.file, piece_.file_end()));
    } else {
      any_ = advance(other_, other_piece_, std::max(piece_.file, other_piece_.file_end()));
    }
    if (found) return true;
  }
  any_ = false;
  return false;
}

}  // namespace lq::storage
