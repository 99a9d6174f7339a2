// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/window.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::storage {

namespace {

// Elements that are consecutive in the file are also consecutive in a part that keeps their order.
lattice::Runs runs_in_file(const Partition& partition, std::uint64_t number) {
  const lattice::Part whole = whole_of(partition.array());
  const lattice::Part part = distribution_of(partition.array(), partition.cuts()).part(number);
  const std::array<const lattice::Part*, 2> both{&whole, &part};
  return lattice::Runs(both, lattice::Runs::Lead::contiguous);
}

// The rest of a piece from a byte of the file on.
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

// Moves to the first piece with a byte at or after `to`: the next piece is tried before searching.
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
    // The part that ends first advances to where the other one has bytes left.
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

namespace {

// Maximum size of a request that is gathered from several pieces, and their maximum number.
constexpr std::uint64_t most_bytes = 4 * base::mebi;
constexpr std::size_t most_pieces = 65536;
// Reading this many unneeded bytes costs less than another request.
constexpr std::uint64_t bridged_bytes = 32 * base::kibi;

Partition all_bytes_of(const PartitionedFile& file) {
  return Partition({.extents = {static_cast<std::int64_t>(file.bytes)}}, {});
}

}  // namespace

// Bytes begin .. end-1 of a subfile, and their place in the buffer.
struct Window::Request {
  std::uint64_t begin = 0, end = 0;
  std::vector<CommonPiece> pieces;

  bool takes(const CommonPiece& piece, std::uint64_t gap) const noexcept {
    return pieces.empty() ||
           (piece.other - end <= gap && piece.other + piece.bytes - begin <= most_bytes && pieces.size() < most_pieces);
  }
  void add(const CommonPiece& piece) {
    if (pieces.empty()) begin = piece.other;
    end = piece.other + piece.bytes;
    pieces.push_back(piece);
  }
};

Window::Window(std::shared_ptr<Subfiles> subfiles)
    : subfiles_(std::move(subfiles)),
      logical_(all_bytes_of(subfiles_->file())),
      part_(0),
      size_(subfiles_->file().bytes) {}

Window::Window(std::shared_ptr<Subfiles> subfiles, Partition logical, std::uint64_t part)
    : subfiles_(std::move(subfiles)), logical_(std::move(logical)), part_(part), size_(0) {
  const PartitionedFile& file = subfiles_->file();
  const FileArray& array = logical_.array();
  if (part >= logical_.parts()) {
    base::fail(Code::invalid_argument, {.path = file.path}, "part {} of partition \"{}\" does not exist; it has {}",
               part, logical_.text(), logical_.parts());
  }
  if (array.end() > file.bytes) {
    base::fail(Code::invalid_argument, {.path = file.path},
               "an array from byte {} to {} does not fit into its {} bytes; check begin, element and extents",
               array.begin, array.end(), file.bytes);
  }
  size_ = logical_.elements(part) * array.element_bytes;
}

bool Window::shares_subfiles() const {
  if (logical_.parts() == 1) return false;
  const PartitionedFile& file = subfiles_->file();
  const std::uint64_t size = file.partition.array().element_bytes;
  for (std::size_t k = 0; k < file.files.size(); ++k) {
    PartBytes wanted(logical_, part_), there(file.partition, k);
    CommonBytes common(wanted, there, logical_.array().begin, logical_.array().end());
    std::uint64_t bytes = 0;
    for (CommonPiece piece; common.next(piece);) bytes += piece.bytes;
    if (bytes > 0 && bytes < file.partition.elements(k) * size) return true;
  }
  return false;
}

std::uint64_t Window::file_byte(std::uint64_t position) const {
  const FileArray& array = logical_.array();
  const std::uint64_t element = logical_.element_at({part_, position / array.element_bytes});
  return array.begin + element * array.element_bytes + position % array.element_bytes;
}

void Window::for_each_request(std::uint64_t offset, std::uint64_t bytes, std::uint64_t gap, Work work) {
  const PartitionedFile& file = subfiles_->file();
  const std::uint64_t begin = file_byte(offset), end = file_byte(offset + bytes - 1) + 1;
  PartBytes wanted(logical_, part_);
  for (std::size_t k = 0; k < file.files.size(); ++k) {
    const auto around = k == 0 ? std::optional(file.bytes) : std::nullopt;
    PartBytes there(file.partition, k, file.files[k].offset, around);
    CommonBytes common(wanted, there, begin, end);
    Request request;
    for (CommonPiece piece; common.next(piece);) {
      piece.one -= offset;
      if (!request.takes(piece, gap)) {
        work(k, request);
        request.pieces.clear();
      }
      request.add(piece);
    }
    if (!request.pieces.empty()) work(k, request);
  }
}

std::size_t Window::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_ || buffer.empty()) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset)));
  std::vector<std::byte> scratch;
  for_each_request(offset, buffer.size(), bridged_bytes, [&](std::size_t k, const Request& request) {
    const auto of_buffer = [&](const CommonPiece& piece) {
      return buffer.subspan(static_cast<std::size_t>(piece.one), static_cast<std::size_t>(piece.bytes));
    };
    if (request.pieces.size() == 1) return subfiles_->read(k, request.begin, of_buffer(request.pieces.front()));
    scratch.resize(static_cast<std::size_t>(request.end - request.begin));
    subfiles_->read(k, request.begin, scratch);
    for (const CommonPiece& piece : request.pieces) {
      const base::MutableBytes to = of_buffer(piece);
      std::memcpy(to.data(), scratch.data() + (piece.other - request.begin), to.size());
    }
  });
  return buffer.size();
}

void Window::write_at(std::uint64_t offset, base::Bytes bytes) {
  if (bytes.empty()) return;
  if (offset > size_ || bytes.size() > size_ - offset) {
    base::fail(Code::invalid_argument, {.path = path(), .offset = offset},
               "bytes {} to {} cannot be written: the part of this view has {}, and keeps its size", offset,
               offset + bytes.size(), size_);
  }
  std::vector<std::byte> scratch;
  for_each_request(offset, bytes.size(), 0, [&](std::size_t k, const Request& request) {
    const auto of_bytes = [&](const CommonPiece& piece) {
      return bytes.subspan(static_cast<std::size_t>(piece.one), static_cast<std::size_t>(piece.bytes));
    };
    if (request.pieces.size() == 1) return subfiles_->open(k).write_at(request.begin, of_bytes(request.pieces.front()));
    scratch.resize(static_cast<std::size_t>(request.end - request.begin));
    for (const CommonPiece& piece : request.pieces) {
      const base::Bytes from = of_bytes(piece);
      std::memcpy(scratch.data() + (piece.other - request.begin), from.data(), from.size());
    }
    subfiles_->open(k).write_at(request.begin, scratch);
  });
}

}  // namespace lq::storage
