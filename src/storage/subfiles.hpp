// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of subfiles: described as text (docs/formats/partitions.md), and their physical files, opened when first needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/partition.hpp>

#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "lattice/distribution.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

// A partition as what it is within the house: a distribution of numbers over parts.

// Axes are laid in their order, so that the elements of a part keep theirs.
lattice::Distribution distribution_of(const FileArray& array, const std::vector<AxisCut>& cuts);
// Of the text of a partition. invalid_argument.
std::vector<AxisCut> cuts_of(std::string_view text);
// All of the array as one part: positions are numbers of elements.
lattice::Part whole_of(const FileArray& array);

// The description of a set of subfiles as text (docs/formats/partitions.md).

// Whether it begins as a description does.
bool is_description(base::Bytes bytes) noexcept;

// Paths of subfiles as they are written: those that do not begin with a slash are relative to the folder of the
// description.
std::string encode_description(const PartitionedFile& set);
// Any bytes; paths stay as they are written. malformed, checksum_mismatch: an Error that names `path`, which is the
// set's.
PartitionedFile decode_description(base::Bytes bytes, const std::string& path);

// Of a subfile whose path is written so in the description at `path`.
std::string subfile_path(const std::string& path, const std::string& written);

// The set that a file describes, its subfiles by paths from here; nothing where it is another file. malformed.
LQ_INNER std::optional<PartitionedFile> set_in(storage::File& opened, const std::string& path);

// A set of which one byte of the description is not the one that was written, and was found by the checksum in its last
// line.
struct CorrectedSet {
  PartitionedFile set;
  std::uint64_t offset = 0;
  std::byte found{}, right{};
};
// Nothing where more than a byte is damaged, or the file is no description. Descriptions of up to 1 MiB are tried.
std::optional<CorrectedSet> corrected_set_in(storage::File& file, const std::string& path);

// Of the set or file at `path`, and of its subfiles: the time is that of the last one written to.
storage::Identity identity_of(const PartitionedFile& file);

// What a writer of the file should know: the strictest of its folders. Whoever reaches one of them by another mount
// sees another device.
storage::StorageTraits unit_of(const PartitionedFile& file);

// What is read where subfiles are missing or too short.
enum class Lost { is_error, are_zeros };

class Subfiles {
 public:
  Subfiles(PartitionedFile file, bool writes, Lost lost = Lost::is_error);

  const PartitionedFile& file() const noexcept { return file_; }
  bool writes() const noexcept { return writes_; }
  // How many bytes subfile number `k` has: those around the array, too.
  std::uint64_t bytes(std::size_t k) const;
  // truncated: it is shorter than that.
  storage::File& open(std::size_t k);
  // All of the buffer. truncated: it became shorter.
  void read(std::size_t k, std::uint64_t offset, base::MutableBytes buffer);
  // Those that this process has opened.
  void sync();
  void close();

 private:
  std::size_t read_what_is_there(std::size_t k, std::uint64_t offset, base::MutableBytes buffer);

  PartitionedFile file_;
  bool writes_;
  Lost lost_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<storage::File>> open_;
};

// Removes subfiles of the set that are called as those of a set at `path` are, for a description may name any file.
// What cannot be removed stays.
void remove_subfiles(const PartitionedFile& set, const std::string& path);

}  // namespace lq::storage
