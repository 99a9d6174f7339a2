// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/making/scales.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "hdf5/making/make.hpp"

namespace lq::hdf5 {
namespace {

bool is_scale(hid_t object, hsize_t extent) {
  const Handle space(H5Dget_space(object), H5Sclose);
  hsize_t held = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1) return false;
  H5Sget_simple_extent_dims(space.get(), &held, nullptr);
  return held == extent && H5Aexists(object, "CLASS") > 0 && H5Aexists(object, "NAME") > 0;
}

Handle create_scale(hid_t file, const std::string& path, hsize_t extent, const Where& where) {
  const Handle space = require(H5Screate_simple(1, &extent, nullptr), H5Sclose, where, "no dataspace");
  const Handle list = untimed_list(H5P_DATASET_CREATE, where);
  Handle scale =
      require(H5Dcreate2(file, path.c_str(), H5T_IEEE_F32LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
              H5Dclose, where, "a scale cannot be made");
  put_text(scale.get(), "CLASS", "DIMENSION_SCALE", where, TextKind::ascii);
  // What netCDF calls a dimension that is no variable.
  put_text(scale.get(), "NAME", fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", extent),
           where, TextKind::ascii);
  return scale;
}

struct Scale {
  std::string path;
  Handle handle;
};

Scale scale_of(hid_t file, const std::string& group, const Dimension& dimension, const Where& where) {
  std::string path = group + dimension.name;
  for (int number = 1;; ++number) {
    if (!has_link(file, path, where)) return {path, create_scale(file, path, dimension.extent, where)};
    Handle there(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
    if (there && H5Iget_type(there.get()) == H5I_DATASET && is_scale(there.get(), dimension.extent)) {
      return {path, std::move(there)};
    }
    path = fmt::format("{}{}_{}{}", group, dimension.name, dimension.extent,
                       number == 1 ? "" : fmt::format("_{}", number));
  }
}

}  // namespace

// A scale does not refer back to its datasets (REFERENCE_LIST): readers do not need it, and it would be rewritten
// with each dataset that is appended.
std::vector<std::string> attach_scales(hid_t file, hid_t dataset, const std::vector<Dimension>& dimensions,
                                       const Where& where) {
  const std::string group = where.object.substr(0, where.object.rfind('/') + 1);
  std::vector<hobj_ref_t> references(dimensions.size());
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const Scale scale = scale_of(file, group, dimensions[d], where);
    require(H5Rcreate(&references[d], file, scale.path.c_str(), H5R_OBJECT, H5I_INVALID_HID), where, "no reference");
    names.push_back(scale.path.substr(group.size()));
  }
  std::vector<hvl_t> lists;
  for (hobj_ref_t& reference : references) lists.push_back({1, &reference});
  const Handle list = require(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose, where, "no type of references");
  const std::array<hsize_t, 1> extents{lists.size()};
  put_numbers(dataset, "DIMENSION_LIST", list.get(), list.get(), lists.data(), extents, where);
  return names;
}

}  // namespace lq::hdf5
