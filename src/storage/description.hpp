// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The description of a set of subfiles as text (docs/formats/partitions.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <limequat/partition.hpp>

#include "base/bytes.hpp"
#include "base/inner.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

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

}  // namespace lq::storage
