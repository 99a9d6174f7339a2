// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a partition as bytes: the pieces of one part, and one part read and written as a sequence of bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <limequat/partition.hpp>

#include "base/function_ref.hpp"
#include "lattice/runs.hpp"
#include "storage/subfiles.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

// One part of a partition as bytes of the file: pieces, ascending both in the file and in the part. The common bytes of
// two parts are found by iterating over both, so partitions of different arrays, and elements of different sizes, can
// be combined.

// Bytes that are contiguous in the file and in the part.
struct Piece {
  std::uint64_t file = 0, part = 0, bytes = 0;
  std::uint64_t file_end() const noexcept { return file + bytes; }
};

class PartBytes {
 public:
  // Positions of the part are counted from `first` on. With `around`, the bytes of the file before and after the array,
  // up to byte `file_bytes`, precede and follow the elements of the part.
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
  std::uint64_t from_ = 0;  // bytes of the file before this one are skipped
  bool before_is_done_ = false, behind_is_done_ = false;
};

// Bytes that are contiguous in two parts.
struct CommonPiece {
  std::uint64_t file = 0;  // of the first byte
  std::uint64_t one = 0, other = 0;
  std::uint64_t bytes = 0;
};

class CommonBytes {
 public:
  // Both must outlive it. Only bytes of the file from `begin` on, and before `end`.
  CommonBytes(PartBytes& one, PartBytes& other, std::uint64_t begin, std::uint64_t end);
  bool next(CommonPiece& piece);

 private:
  bool advance(PartBytes& part, Piece& piece, std::uint64_t to);

  PartBytes &one_, &other_;
  std::uint64_t end_;
  Piece piece_, other_piece_;
  bool any_;
};

class Window : public storage::File {
 public:
  // All bytes of the file, including those around its array.
  explicit Window(std::shared_ptr<Subfiles> subfiles);
  // invalid_argument: the part does not exist, or the array reaches beyond the file.
  Window(std::shared_ptr<Subfiles> subfiles, Partition logical, std::uint64_t part);

  const Partition& logical() const noexcept { return logical_; }
  std::uint64_t part() const noexcept { return part_; }
  const std::string& path() const noexcept override { return subfiles_->file().path; }
  std::uint64_t size() const override { return size_; }
  // Any thread.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  storage::Identity identity() const override { return identity_of(subfiles_->file()); }
  void sync() override { subfiles_->sync(); }
  void close() override { subfiles_->close(); }
  // Takes time per run. True if another part of the same partition shares a subfile with this one.
  bool shares_subfiles() const;
  // Its size is fixed by the partition.
  void resize(std::uint64_t) override {}
  void reserve(std::uint64_t, std::uint64_t) override {}

 private:
  struct Request;
  using Work = base::FunctionRef<void(std::size_t k, const Request& request)>;

  // Calls `work` for the share of each subfile in these bytes; requests bridge gaps of the given number of bytes.
  void for_each_request(std::uint64_t offset, std::uint64_t bytes, std::uint64_t gap, Work work);
  std::uint64_t file_byte(std::uint64_t position) const;

  std::shared_ptr<Subfiles> subfiles_;
  Partition logical_;
  std::uint64_t part_, size_;
};

}  // namespace lq::storage
