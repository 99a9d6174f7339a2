// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The links of a site and of its neighbours, out of a file.
#pragma once

#include <span>
#include <vector>

#include "diagnosis/encoding.hpp"
#include "diagnosis/site_map.hpp"

namespace lq::diagnosis {

class LinkReader {
 public:
  LinkReader(const Encoding& encoding, base::ByteSource& file)
      : encoding_(encoding), reader_(file, encoding.offset, encoding.site_bytes()) {}

  std::size_t site_numbers() const noexcept { return static_cast<std::size_t>(encoding_.links) * encoding_.numbers(); }
  // Decoded; NaN where the file ends before.
  void read(std::uint64_t site, std::span<double> numbers);

 private:
  Encoding encoding_;
  SiteReader reader_;
};

// The links of one site and of the next one in each dimension, which are those a plaquette is made of.
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
