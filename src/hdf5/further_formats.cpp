// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "format/format.hpp"
#include "hdf5/hdf5_format.hpp"

namespace lq::format {

std::span<const Format* const> further_formats() {
  static const std::array<const Format*, 1> all{&hdf5::format()};
  return all;
}

}  // namespace lq::format
