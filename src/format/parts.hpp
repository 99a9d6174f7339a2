// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field spread over several files on writing: equal blocks of the lattice, a file for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/format.hpp"

namespace lq::format {

class Parts {
 public:
  // Nothing: all in one file. invalid_argument, unsupported: the field cannot be spread like that.
  static std::optional<Parts> of(const FieldRequest& request);

  std::uint64_t count() const noexcept { return volume(counts_); }
  std::uint64_t sites() const noexcept { return volume(block_); }  // of each
  const Extents& extents() const noexcept { return extents_; }     // of the lattice
  const Extents& block() const noexcept { return block_; }
  // The first site of part `number`; the dimension of `order` that is named first runs fastest.
  Coord lower(std::uint64_t number, const SiteOrder& order) const;
  // Puts a part of the field into each of these places: part k, in the payload's order, into file k.
  void place(Payload& payload, const std::vector<std::uint64_t>& offsets) const;

 private:
  Extents extents_, counts_, block_;
};

}  // namespace lq::format
