// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The superblock of an HDF5 file, looked at before the library is: where the file begins and ends, and whether its
// sizes are such as the library stands. By the HDF5 File Format Specification, version 3, II.A.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"

namespace lq::hdf5 {

struct Superblock {
  std::uint64_t offset = 0;  // of its first byte: the length of the user block before it
  std::uint64_t bytes = 0;
  int version = 0;
  int offset_bytes = 8;                  // of an address
  int length_bytes = 8;                  // of a length
  std::uint64_t base = 0;                // as written there; addresses count from `offset`, whatever it says
  std::uint64_t end = 0;                 // of the file, the user block included
  std::uint64_t root = 0;                // address of the header of the root group
  std::uint64_t extension = UINT64_MAX;  // address of a header with more of this; UINT64_MAX: there is none
  std::uint64_t group_leaf_k = 4, group_internal_k = 16;  // half of the most entries of a node of an old group
  bool is_open = false;           // a program has, or had when it ended, the file open for writing
  std::vector<Annotation> parts;  // its bytes, in order
};

// Offset of the signature; nothing: this is no HDF5 file.
std::optional<std::uint64_t> find_signature(base::ByteSource& file);
// malformed, truncated: the file ends before its end as the superblock says it; unsupported: a version nobody knows.
Superblock read_superblock(base::ByteSource& file);
// The same of a file that may end early, and how many bytes it should have.
Superblock parse_superblock(base::ByteSource& file);
std::uint64_t whole_bytes(const Superblock& superblock) noexcept;
// The bytes of the superblock as its program would have left them had it closed the file: without the marks by which
// the library refuses to open it. Nothing where it has none, or where its checksum is not that of its bytes.
std::optional<std::vector<std::byte>> closed_superblock(base::ByteSource& file, const Superblock& superblock);

}  // namespace lq::hdf5
