// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/making/dataset_plan.hpp"

#include <limits>

#include <fmt/format.h>

#include "hdf5/driver/driver.hpp"

namespace lq::hdf5 {
namespace {

void add_filter(hid_t list, const Filter& filter, const Where& where) {
  const unsigned flags = filter.is_optional ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY;
  require(H5Pset_filter(list, filter.id, flags, filter.parameters.size(), filter.parameters.data()), where,
          "a filter is refused");
}

Handle creation_of(const DatasetPlan& plan, const Where& where) {
  Handle list = untimed_list(H5P_DATASET_CREATE, where);
  require(H5Pset_fill_time(list.get(), H5D_FILL_TIME_NEVER), where, "filling cannot be switched off");
  if (plan.external) {
    // A signed type, although no offset is negative.
    const auto offset = static_cast<off_t>(plan.external->offset);
    require(H5Pset_external(list.get(), plan.external->path.c_str(), offset, plan.external->bytes), where,
            "the other file is refused");
    return list;
  }
  if (plan.chunk.empty()) {
    require(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_EARLY), where, "the storage cannot be allocated in advance");
    return list;
  }
  require(H5Pset_alloc_time(list.get(), H5D_ALLOC_TIME_INCR), where, "the storage cannot be taken by chunks");
  require(H5Pset_chunk(list.get(), static_cast<int>(plan.chunk.size()), plan.chunk.data()), where,
          "the chunks are refused");
  for (const Filter& filter : plan.filters) add_filter(list.get(), filter, where);
  return list;
}

// The library writes each chunk at the place that was decided, from bytes that it never sees.
void write_down_chunks(hid_t dataset, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles,
                       const Where& where) {
  std::vector<hsize_t> corner(plan.extents.size());
  for (const Tile& tile : tiles) {
    if (tile.bytes > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(Code::too_large,
                  fmt::format("{}: {}: a chunk of {} bytes; HDF5 takes less than 4 GiB, choose smaller chunks",
                              where.path, where.object, tile.bytes),
                  {.path = where.path, .record = where.object});
    }
    image.room.decided = {tile.offset};
    require(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, corner.data(), static_cast<std::size_t>(tile.bytes), elsewhere()),
            where, "a chunk cannot be written down");
    for (std::size_t d = corner.size(); d-- > 0;) {
      corner[d] += plan.chunk[d];
      if (corner[d] < plan.extents[d]) break;
      corner[d] = 0;
    }
  }
}

}  // namespace

std::uint64_t pieces_of(const DatasetPlan& plan) {
  std::uint64_t pieces = 1;
  for (std::size_t d = 0; d < plan.chunk.size(); ++d) pieces *= (plan.extents[d] + plan.chunk[d] - 1) / plan.chunk[d];
  return pieces;
}

Handle create_dataset(hid_t file, Image& image, const DatasetPlan& plan, std::span<const Tile> tiles) {
  const Where where{image.path(), plan.path};
  require_free(file, where);
  const Handle type = make_type(file, plan.element, where);
  const Handle space = require(H5Screate_simple(static_cast<int>(plan.extents.size()), plan.extents.data(), nullptr),
                               H5Sclose, where, "its extents are refused");
  const Handle creation = creation_of(plan, where);
  make_group_above(file, plan.path, where);
  if (plan.chunk.empty() && !plan.external) image.room.decided = {tiles.front().offset};
  Handle dataset =
      require(H5Dcreate2(file, plan.path.c_str(), type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
              H5Dclose, where, "the dataset cannot be made");
  if (plan.external) return dataset;
  if (!plan.chunk.empty()) {
    write_down_chunks(dataset.get(), image, plan, tiles, where);
  } else if (H5Dget_offset(dataset.get()) != tiles.front().offset) {
    throw Error(Code::internal,
                fmt::format("{}: {}: the data were placed at {}, but the library says {}", where.path, where.object,
                            tiles.front().offset, H5Dget_offset(dataset.get())),
                {.path = where.path, .record = where.object});
  }
  image.room.decided.clear();
  return dataset;
}

}  // namespace lq::hdf5
