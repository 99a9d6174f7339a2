// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/tree/opened.hpp"

#include "hdf5/headers/object_header.hpp"

namespace lq::hdf5 {

namespace {

// With the header of the root group, which the library reads at once.
Superblock checked_superblock(base::ByteSource& source) {
  Superblock superblock = read_superblock(source);
  require_sound_header(source, superblock, superblock.root);
  return superblock;
}

}  // namespace

Opened::Opened(base::ByteSource& source)
    : source_(source), superblock_(checked_superblock(source)), image_(source), file_(open_in(image_, Access::read)) {}

void Opened::require_sound(std::uint64_t address) const {
  require_sound_header(source_, superblock_, address - superblock_.offset);
}

}  // namespace lq::hdf5
