// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compiled once for each set of rooms with formats that a program or library may have (CMakeLists.txt).
#include <vector>

#include "format/format.hpp"
#ifdef LQ_FURTHER_HDF5
#include "hdf5/hdf5_format.hpp"
#endif
#ifdef LQ_FURTHER_SQUEEZED
#include "squeezed/squeezed_format.hpp"
#endif

namespace lq::format {

std::span<const Format* const> further_formats() {
  static const std::vector<const Format*> all{
#ifdef LQ_FURTHER_SQUEEZED
      &squeezed::format(),
#endif
#ifdef LQ_FURTHER_HDF5
      &hdf5::format(),
#endif
  };
  return all;
}

}  // namespace lq::format
