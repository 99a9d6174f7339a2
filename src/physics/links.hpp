// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A gauge field as the physics computes on it: doubles, all links of one direction together, cells as in a Halo.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "comm/agree.hpp"
#include "physics/halo.hpp"
#include "physics/su_n.hpp"

namespace lq::physics {

class Links {
 public:
  // Collective.
  Links(const Grid& grid, int colors, Reach reach, const Colouring& colouring = {})
      : halo_(grid, reach, colouring),
        colours_(colouring.colours()),
        directions_(grid.extents().size()),
        link_numbers_(matrix_numbers(colors)) {
    comm::agree(grid.communicator().engine(),
                [&] { numbers_.resize(static_cast<std::size_t>(directions_) * halo_.cells() * link_numbers_); });
  }

  const Halo& halo() const noexcept { return halo_; }
  int directions() const noexcept { return directions_; }

  double* at(int mu, std::size_t cell) noexcept { return numbers_.data() + offset(mu, cell); }
  const double* at(int mu, std::size_t cell) const noexcept { return numbers_.data() + offset(mu, cell); }

  // All links of one local site, in the order of memory and files: mu slowest.
  void set_site(std::size_t cell, std::span<const double> numbers) noexcept {
    for (int mu = 0; mu < directions_; ++mu) {
      std::copy_n(numbers.data() + static_cast<std::size_t>(mu) * link_numbers_, link_numbers_, at(mu, cell));
    }
  }
  void get_site(std::size_t cell, double* numbers) const noexcept {
    for (int mu = 0; mu < directions_; ++mu) numbers = std::copy_n(at(mu, cell), link_numbers_, numbers);
  }

  // Collective. Copies of links of other ranks become what these ranks have.
  void refresh(int mu, int colour) {
    halo_.refresh(reinterpret_cast<std::byte*>(at(mu, 0)), link_numbers_ * sizeof(double), colour);
  }
  void refresh() {
    for (int mu = 0; mu < directions_; ++mu) {
      for (int colour = 0; colour < colours_; ++colour) refresh(mu, colour);
    }
  }

 private:
  std::size_t offset(int mu, std::size_t cell) const noexcept {
    return (static_cast<std::size_t>(mu) * halo_.cells() + cell) * link_numbers_;
  }

  Halo halo_;
  int colours_ = 0, directions_ = 0;
  std::size_t link_numbers_ = 0;
  std::vector<double> numbers_;
};

}  // namespace lq::physics
