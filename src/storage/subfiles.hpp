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

// A partition in the internal form: a distribution of numbers over parts.

// Axes are applied in order, so that the elements of a part keep their order.
lattice::Distribution distribution_of(const FileArray& array, const std::vector<AxisCut>& cuts);
// The divisions of a partition given as text. invalid_argument.
std::vector<AxisCut> cuts_of(std::string_view text);
// The whole array as one part: positions are element numbers.
lattice::Part whole_of(const FileArray& array);

// The description of a set of subfiles as text (docs/formats/partitions.md).

// True if the bytes begin as a description does.
bool is_description(base::Bytes bytes) noexcept;

// Paths of subfiles are stored as they are: those without a leading slash are relative to the folder of the
// description.
std::string encode_description(const PartitionedFile& set);
// Accepts any bytes; paths are returned as stored. malformed, checksum_mismatch: an Error that names `path`, the path
// of the set.
PartitionedFile decode_description(base::Bytes bytes, const std::string& path);

// The path of a subfile whose stored path in the description at `path` is `written`.
std::string subfile_path(const std::string& path, const std::string& written);

// The set that a file describes, with subfile paths relative to here; empty for other files. malformed.
LQ_INNER std::optional<PartitionedFile> set_in(storage::File& opened, const std::string& path);

// A set whose description has one damaged byte, which the checksum in its last line identified.
struct CorrectedSet {
  PartitionedFile set;
  std::uint64_t offset = 0;
  std::byte found{}, right{};
};
// Empty if more than one byte is damaged, or the file is not a description. Descriptions of up to 1 MiB are tried.
std::optional<CorrectedSet> corrected_set_in(storage::File& file, const std::string& path);

// Identity of the set or file at `path`, with its subfiles: the time is that of the latest modification.
storage::Identity identity_of(const PartitionedFile& file);

// The traits for a writer of the file: the strictest of its folders. A rank that reaches a folder through another mount
// sees another device.
storage::StorageTraits unit_of(const PartitionedFile& file);

// Treatment of missing or short subfiles in reading.
enum class Lost { is_error, are_zeros };

class Subfiles {
 public:
  Subfiles(PartitionedFile file, bool writes, Lost lost = Lost::is_error);

  const PartitionedFile& file() const noexcept { return file_; }
  bool writes() const noexcept { return writes_; }
  // Size of subfile number `k`, including the bytes around the array.
  std::uint64_t bytes(std::size_t k) const;
  // truncated: it is shorter than that.
  storage::File& open(std::size_t k);
  // Fills the buffer. truncated: the subfile became shorter.
  void read(std::size_t k, std::uint64_t offset, base::MutableBytes buffer);
  // Syncs the subfiles that this process has opened; when reading, all of them.
  void sync();
  void close();

 private:
  std::size_t read_available(std::size_t k, std::uint64_t offset, base::MutableBytes buffer);

  PartitionedFile file_;
  bool writes_;
  Lost lost_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<storage::File>> open_;
};

// Removes subfiles of the set whose names are those that a set at `path` would use, because a description may name any
// file. Subfiles that cannot be removed stay.
void remove_subfiles(const PartitionedFile& set, const std::string& path);

// A set of subfiles whose description another file replaces.
class ReplacedSet {
 public:
  // Before: looks what is described at `path`; a damaged description does not say what belongs to it. io: it cannot be
  // read.
  ReplacedSet(Transport& transport, std::string path);
  // Afterwards: removes its subfiles, as remove_subfiles() does, except those that belong to the new file.
  void remove_rest();

 private:
  Transport& transport_;
  std::string path_;
  std::optional<PartitionedFile> before_;
};

}  // namespace lq::storage
