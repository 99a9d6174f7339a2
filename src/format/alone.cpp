// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For programs and libraries without rooms that have further formats: drop-ins, tests, builds without HDF5.
#include "format/format.hpp"

namespace lq::format {

std::span<const Format* const> further_formats() { return {}; }

}  // namespace lq::format
