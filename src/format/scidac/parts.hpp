// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A field spread over several files on writing (formats/scidac.md 4.6): equal blocks of the lattice, a file for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/format.hpp"

namespace lq::format::scidac {

class Parts {
 public:
  // Nothing: all in one file. invalid_argument, unsupported: the field cannot be spread like that.
  static std::optional<Parts> of(const FieldRequest& request);

  std::uint64_t count() const noexcept { return volume(counts_); }
  std::uint64_t sites() const noexcept { return volume(block_); }  // of each
  // ".vol0000", ...
  std::vector<std::string> suffixes() const;
  std::uint64_t list_length() const noexcept { return sites() * width_; }
  // The list of the sites of part `number`, which goes there.
  Bulk list(int number, std::uint64_t offset) const;
  // Puts a part of the field into each of these places.
  void place(Payload& payload, const std::vector<std::uint64_t>& offsets) const;

 private:
  Extents extents_, counts_, block_;
  std::uint64_t width_ = 4;  // bytes of an entry
};

}  // namespace lq::format::scidac
