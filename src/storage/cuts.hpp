// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A partition as what it is within the house: a distribution of numbers over parts.
#pragma once

#include <string_view>
#include <vector>

#include <limequat/partition.hpp>

#include "lattice/distribution.hpp"

namespace lq::storage {

// Axes are laid in their order, so that the elements of a part keep theirs.
lattice::Distribution distribution_of(const FileArray& array, const std::vector<AxisCut>& cuts);
// Of the text of a partition. invalid_argument.
std::vector<AxisCut> cuts_of(std::string_view text);
// All of the array as one part: positions are numbers of elements.
lattice::Part whole_of(const FileArray& array);

}  // namespace lq::storage
