// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What numbers look like while they pass, where no checksum proves them: those that are NaN or infinite, and links that
// are not in SU(N). All links are held against the sum of their squares, which costs a few percent of a read; one of
// each block is looked at closely.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <limequat/catalog.hpp>

#include "base/bytes.hpp"
#include "kernels/digest.hpp"

namespace lq::engine {

// The first byte of each kind is that of the site.
struct OddNumbers {
  struct Sites {
    std::uint64_t count = 0;
    std::uint64_t first_offset = 0;
    void note(std::uint64_t offset) noexcept;
    void add(const Sites& others) noexcept;
  };

  std::uint64_t seen = 0;  // sites
  Sites not_finite;        // with numbers that are NaN or infinite
  Sites huge;              // with numbers that no link of any convention has
  Sites off;               // with a link off SU(N) that is not zero
  // Links that are zero, whatever site they are of, and those of the first and the last slice of the last dimension, by
  // their own dimension: boundaries may have them.
  Sites zero_links;
  std::array<std::array<std::uint64_t, max_dimensions>, 2> zero_at_border = {};

  void add(const OddNumbers& others) noexcept;
};

class NumberWatch {
 public:
  explicit NumberWatch(const Payload& payload);

  // Sites in file form, of a field with such a payload, from number `file_site` on.
  void look(const Payload& payload, base::Bytes sites, std::uint64_t file_site);

  OddNumbers found;

 private:
  void look_at_magnitudes(const Payload& payload, base::Bytes sites, std::uint64_t file_site);
  void look_closely(const Payload& payload, base::Bytes site, std::uint64_t file_site);
  void judge_links(const Payload& payload, std::uint64_t file_site, std::uint64_t offset);
  bool is_in_group(std::size_t link) const noexcept;
  bool is_other_kind() const noexcept;

  bool has_magnitudes_ = false;              // sites in fixed point: those alone are looked at
  kernels::SiteNumbers form_;                // numbers 0: nothing is looked at
  SiteOrder order_;                          // of the sites, resolved
  std::vector<std::uint32_t> places_ = {};   // of the numbers of a site in memory
  std::size_t colors_ = 0, links_ = 0;       // links 0: these are none
  std::size_t link_numbers_ = 0, held_ = 0;  // of a link in memory, and how many of these the file has
  double least_ = 0, most_ = 0;              // the sum of the squares of a site
  std::vector<double> site_ = {};            // in memory order; what the file lacks is 0
};

}  // namespace lq::engine
