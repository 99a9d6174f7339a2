// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// A filter that the chunks of a dataset pass through, as the dataset names it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lq::hdf5 {

struct Filter {
  int id = 0;
  bool is_optional = false;
  std::string name = {};
  std::vector<std::uint32_t> parameters = {};
};

}  // namespace lq::hdf5
