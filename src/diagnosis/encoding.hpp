// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How the numbers of a site of a gauge field are stored, whatever the order of sites and links: decoded, and judged by
// whether the links are in SU(N).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::diagnosis {

// The bytes of single sites anywhere in a file, with few reads where they are neighbours and in bounded memory.
class SiteReader {
 public:
  SiteReader(base::ByteSource& file, std::uint64_t offset, std::uint64_t site_bytes);

  // Of site `number` of the file's sequence, until the next call; shorter where the file ends.
  base::Bytes site(std::uint64_t number);

 private:
  static constexpr std::uint64_t slots = 256;

  struct Slot {
    std::uint64_t block = 0;
    std::vector<std::byte> bytes;  // empty: nothing was read yet
  };
  base::ByteSource& file_;
  std::uint64_t offset_, site_bytes_;
  std::uint64_t block_sites_;  // of a read
  std::vector<Slot> slots_;
};

struct Encoding {
  std::uint64_t offset = 0;  // of the first site
  int colors = 3;
  int links = 4;
  Precision precision = Precision::double_;
  ByteOrder byte_order = ByteOrder::big;
  bool halves_exchanged = false;
  ComplexParts parts = ComplexParts::interleaved;
  bool third_rows_missing = false;
  friend bool operator==(const Encoding&, const Encoding&) = default;

  std::uint64_t number_bytes() const noexcept { return precision == Precision::single ? 4 : 8; }
  // Numbers of a link as it is stored, and as it is decoded.
  std::size_t stored_numbers() const noexcept {
    const auto n = static_cast<std::size_t>(colors);
    return 2 * n * (third_rows_missing ? n - 1 : n);
  }
  std::size_t numbers() const noexcept {
    return 2 * static_cast<std::size_t>(colors) * static_cast<std::size_t>(colors);
  }
  std::uint64_t site_bytes() const noexcept {
    return static_cast<std::uint64_t>(links) * stored_numbers() * number_bytes();
  }
};

// The links of a site as rows of re, im pairs, in the order of the file. `numbers` has room for links * numbers().
void decode(const Encoding& encoding, base::Bytes site, std::span<double> numbers) noexcept;

// The reverse; a third row that is not stored is left out.
void encode(const Encoding& encoding, std::span<const double> numbers, base::MutableBytes site) noexcept;

// What a sample of links says of an encoding. Medians are infinite where no link is finite and other than zero.
struct Fit {
  double unitarity = 0;
  double determinant = 0;  // of |det U - 1|, or |det U + 1| where that is less: boundary conditions change signs
  double share = 0;        // of the links that are in the group by both
  bool is_group() const noexcept { return share > 0.5; }
};
// Of `samples` sites from the front to the back of the `sites` that are there.
Fit fit_of(const Encoding& encoding, base::ByteSource& file, std::uint64_t sites, std::uint64_t samples);

// All that are tried: the declared one first.
std::vector<Encoding> encodings(const Encoding& declared);

}  // namespace lq::diagnosis
