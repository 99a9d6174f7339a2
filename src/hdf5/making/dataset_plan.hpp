// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A dataset with a place for its data that was decided beforehand: the library writes down where they are, we write
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "hdf5/driver/image.hpp"
#include "hdf5/filters/filter.hpp"
#include "hdf5/making/make.hpp"

namespace lq::hdf5 {

// Numbers in a file of another format.
struct ExternalData {
  std::string path;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct DatasetPlan {
  std::string path;              // absolute
  std::vector<hsize_t> extents;  // of the dataspace, slowest first
  Element element;
  std::vector<hsize_t> chunk = {};  // empty: contiguous
  std::vector<Filter> filters = {};
  std::optional<ExternalData> external = {};  // instead of data in this file
};

// Makes the dataset, whose data lie in `tiles`: one where it is contiguous, else one for each chunk, the last dimension
// of the dataspace fastest; none where they are external.
Handle create_dataset(hid_t file, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles);

// How many chunks there are; 1 for a contiguous dataset.
std::uint64_t pieces_of(const DatasetPlan& plan);

}  // namespace lq::hdf5
