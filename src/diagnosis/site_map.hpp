// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The place of a coordinate in a sequence of sites, and the links of a site and of its neighbours read from there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>

#include "diagnosis/encoding.hpp"

namespace lq::diagnosis {

struct Digit {
  int dimension = 0;
  std::uint64_t count = 1;  // of values
  std::uint64_t step = 1;   // of the coordinate
  friend bool operator==(const Digit&, const Digit&) = default;
};

// Sites of one parity of x + y + z + t before the others, each in the order of the digits.
enum class Parity { none, even_first, odd_first };
std::string_view parity_name(Parity parity) noexcept;  // "", "even", "odd"

struct SiteMap {
  Extents extents;
  std::vector<Digit> digits;  // fastest first
  Parity parity = Parity::none;
  friend bool operator==(const SiteMap&, const SiteMap&) = default;
};

// One sequence over the lattice; `order` resolved.
SiteMap sequence_of(const Extents& extents, const SiteOrder& order, Parity parity = Parity::none);
// Process by process, x fastest within a process; `processes` divides the extents.
SiteMap processes_of(const Extents& extents, const Coord& processes, bool ranks_last_fastest);

std::uint64_t number_of(const SiteMap& map, const Coord& x) noexcept;
Coord site_of(const SiteMap& map, std::uint64_t number) noexcept;

// Reads the links of a site and of its neighbours from a file.
class LinkReader {
 public:
  LinkReader(const Encoding& encoding, base::ByteSource& file)
      : encoding_(encoding), reader_(file, encoding.offset, encoding.site_bytes()) {}

  std::size_t site_numbers() const noexcept { return static_cast<std::size_t>(encoding_.links) * encoding_.numbers(); }
  // Decoded; NaN if the file ends before.
  void read(std::uint64_t site, std::span<double> numbers);

 private:
  Encoding encoding_;
  SiteReader reader_;
};

// The links of one site and of the next one in each dimension, from which plaquettes are computed.
class Corner {
 public:
  Corner(const Encoding& encoding, base::ByteSource& file)
      : reader_(encoding, file), link_numbers_(encoding.numbers()), site_numbers_(reader_.site_numbers()) {}

  void move_to(const SiteMap& map, const Coord& x);
  const double* here(int link) const noexcept { return numbers_.data() + offset(0, link); }
  const double* next(int dimension, int link) const noexcept { return numbers_.data() + offset(1 + dimension, link); }

 private:
  std::size_t offset(int site, int link) const noexcept {
    return static_cast<std::size_t>(site) * site_numbers_ + static_cast<std::size_t>(link) * link_numbers_;
  }
  LinkReader reader_;
  std::size_t link_numbers_, site_numbers_;
  std::vector<double> numbers_;
};

}  // namespace lq::diagnosis
