// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file driver for the HDF5 library that reads and writes an image: the library becomes a planner, which says what
// bytes a file has where. Nothing is opened, locked or written.
#pragma once

#include "hdf5/image.hpp"
#include "hdf5/library.hpp"

namespace lq::hdf5 {

// Both under a Lock, which is held while the file is used. Files have the metadata of HDF5 1.8, which all of 1.10 to 2
// read and write; `alignment`: where large pieces begin; 1: anywhere; `properties`: of the creation of
// a file; by default objects have no time stamps, which would make equal files differ.
Handle create_in(Image& image, std::uint64_t alignment = 1, hid_t properties = H5P_DEFAULT);
enum class Access { read, write };
Handle open_in(Image& image, Access access, std::uint64_t alignment = 1);
// What was written is then in the image.
void close_in(Handle file, Image& image);

// Bytes of data that somebody else writes: where the library is told to write from here, nothing is.
const void* written_elsewhere() noexcept;

}  // namespace lq::hdf5
