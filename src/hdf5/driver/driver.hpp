// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file driver for the HDF5 library that reads and writes an image: the library becomes a planner, which says what
// bytes a file has where. Nothing is opened, locked or written.
#pragma once

#include <optional>

#include "hdf5/driver/image.hpp"
#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

// Both under a Lock, which is held while the file is used. Files have the metadata of HDF5 1.8, which all of 1.10 to 2
// read and write; objects have no time stamps, which would make equal files differ.
Handle create_in(Image& image);
enum class Access { read, write };
Handle open_in(Image& image, Access access);
// What was written is then in the image. Failures to write are told here, and no earlier.
void close_in(Handle file, Image& image);

// Stands for bytes of data that the library never sees: where it is told to write from here, nothing is written, and
// where it is told to read to here, nothing is read.
void* elsewhere() noexcept;

// Where a chunk lies in the file of the driver.
struct ChunkPlace {
  std::uint64_t offset = 0;   // from the first byte of the file on
  std::uint64_t bytes = 0;    // as they lie there
  std::uint32_t skipped = 0;  // filters that were not applied, by bit
};
// The chunk that begins with that element, in the time that the library takes to find one chunk, whatever its index
// of chunks is. Nothing: it is not there, or the library cannot find it.
std::optional<ChunkPlace> find_chunk(hid_t file, hid_t dataset, const hsize_t* first);

}  // namespace lq::hdf5
