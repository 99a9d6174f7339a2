// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of variable length, which lie in collections of their own (HDF5 File Format Specification, version 3, III.E):
// read by our own hand, since the library believes whatever lengths stand there.
#pragma once

#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "hdf5/headers/superblock.hpp"

namespace lq::hdf5 {

// Bytes of an element that refers to such a text.
inline std::uint64_t bytes_of_reference(const Superblock& superblock) noexcept {
  return 8 + static_cast<std::uint64_t>(superblock.offset_bytes);
}

// The texts that `references` lead to, without what follows a NUL. malformed; too_large: of more than `most_bytes`.
std::vector<std::string> read_texts(base::ByteSource& file, const Superblock& superblock, base::Bytes references,
                                    std::uint64_t most_bytes);

// The same for lists of references to objects: the addresses of their headers, from the end of the user block on.
std::vector<std::vector<std::uint64_t>> read_reference_lists(base::ByteSource& file, const Superblock& superblock,
                                                             base::Bytes references, std::uint64_t most_bytes);

}  // namespace lq::hdf5
