// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums stored in files to check whether their data are intact. Each format stores some of these; all of them are
// combined from sums of runs of sites, computed in any order and on any rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/error.hpp>

namespace lq {

// The SciDAC checksum: XOR over sites of the site's CRC-32 rotated by (site rank mod 29) and (mod 31).
struct Checksum {
  std::uint32_t suma = 0;
  std::uint32_t sumb = 0;
  friend bool operator==(const Checksum&, const Checksum&) = default;
};
// Local. "a2c41090/11193c39": eight hexadecimal digits each.
LQ_API std::string to_string(const Checksum& checksum);

// How a sum is computed from the data in file form. Site ranks and word numbers count from 0.
enum class SumKind {
  scidac,    // two words: the SciDAC checksum
  weighted,  // four words: sum of the sites' CRC-32, and of the CRC-32 times (site rank + 1), 64 bits each, high word
             // first
  nersc,     // one word: sum of all 32-bit words
  milc,    // two words, sum29 and sum31: XOR of all 32-bit words, rotated left by (number of the word mod 29), (mod 31)
  sha256,  // eight words: XOR over sites of SHA-256(dimensions, coordinates, numbers), all of it little-endian (QLUA)
  crc32,   // one word: CRC-32 of the bytes in the file
  pyquda,  // two words, sum29 and sum31: XOR over sites of the XOR of the site's 32-bit words, rotated left by (site
           // rank mod 29), (mod 31)
  norm,    // two words: the sum of the squares of all numbers, a double, high word first; agrees to 1e-12 of itself
  sha256_padded,    // sha256 with four zero bytes after each 4-byte number, as in QLUA before 24 December 2014
  momentum_action,  // two words, as norm: half of -2 tr(X X) over matrices X of su(3), each stored as eight numbers in
                    // openQCD's order (formats/openqcd.md 5)
};

// The data that one value covers.
enum class SumOf {
  field,   // all of it
  slices,  // a slice of the slowest dimension of the file
  tiles,   // a tile: a run of the file's sequence of sites
  arrays,  // an array: its part of the numbers of each site
};

struct SumName {
  SumKind kind = SumKind::scidac;
  SumOf of = SumOf::field;
  friend bool operator==(const SumName&, const SumName&) = default;
};
LQ_API std::string_view name(SumKind kind) noexcept;
LQ_API std::string_view name(SumOf of) noexcept;
// Local. "scidac" of the whole field, "weighted of slices".
LQ_API std::string to_string(const SumName& name);
// The number of 32-bit words of one value.
LQ_API std::size_t words_of(SumKind kind) noexcept;

struct LQ_API Sum {
  SumName name;
  std::vector<std::uint32_t> words = {};  // value after value
  std::size_t values() const noexcept { return words.size() / words_of(name.kind); }
  friend bool operator==(const Sum&, const Sum&) = default;
};
// Local. Returns true if the words are equal; norms, which programs add in different orders, may differ by rounding.
LQ_API bool agree(const Sum& a, const Sum& b) noexcept;
// Local. "a2c41090/11193c39" for the SciDAC checksum, otherwise with its name, "nersc 0000037f"; for many values only
// their number.
LQ_API std::string to_string(const Sum& sum);

// The sums of one field.
struct LQ_API Sums {
  std::vector<Sum> all = {};

  const Sum* find(const SumName& name) const noexcept;  // nullptr: not found
  void set(Sum sum);                                    // replaces one of that name
  std::vector<SumName> names() const;

  // The SciDAC checksum of the field, and of each slice; nothing and an empty vector if absent.
  std::optional<Checksum> checksum() const noexcept;
  std::vector<Checksum> slices() const;
  // The combination of the checksums of the slices, which is the checksum of the field; nothing if absent.
  std::optional<Checksum> total_of_slices() const;
  void set_checksum(const Checksum& checksum);
  void set_slices(const std::vector<Checksum>& slices);

  // The same sums with the same values, in any order.
  LQ_API friend bool operator==(const Sums& a, const Sums& b) noexcept;
};
// Local. The sums of the whole field and of its arrays, concatenated.
LQ_API std::string to_string(const Sums& sums);

}  // namespace lq
