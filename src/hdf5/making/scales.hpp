// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of dimensions by which netCDF, xarray and others know them: scales beside a dataset (HDF5 Dimension Scale
// Specification). They have no values, and one serves all datasets of a group with the same name and extent.
#pragma once

#include <string>
#include <vector>

#include "hdf5/driver/library.hpp"

namespace lq::hdf5 {

struct Dimension {
  std::string name;
  hsize_t extent = 0;
};

// A scale for each dimension of the dataset; where its name stands for something else, the extent is added to it. Their
// names, as they came out.
std::vector<std::string> attach_scales(hid_t file, hid_t dataset, const std::vector<Dimension>& dimensions,
                                       const Where& where);

}  // namespace lq::hdf5
