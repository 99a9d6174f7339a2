// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/encoding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "kernels/site_numbers.hpp"
#include "physics/su_n.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t bytes_of_a_read = 16 * base::kibi;

// Beyond rounding in single precision.
constexpr double largest_distance = 1e-4, largest_determinant = 1e-3;
constexpr double nothing = std::numeric_limits<double>::infinity();

double number_at(const Encoding& encoding, const std::byte* at) noexcept {
  const bool is_big = encoding.byte_order == ByteOrder::big;
  if (encoding.precision == Precision::single) {
    return std::bit_cast<float>(is_big ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at));
  }
  const std::uint64_t word = is_big ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at);
  return std::bit_cast<double>(encoding.halves_exchanged ? std::rotl(word, 32) : word);
}

void put_number(const Encoding& encoding, double number, std::byte* at) noexcept {
  const bool is_big = encoding.byte_order == ByteOrder::big;
  if (encoding.precision == Precision::single) {
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    return is_big ? base::store_be(at, word) : base::store_le(at, word);
  }
  auto word = std::bit_cast<std::uint64_t>(number);
  if (encoding.halves_exchanged) word = std::rotl(word, 32);
  return is_big ? base::store_be(at, word) : base::store_le(at, word);
}

// Where number k of a stored link belongs: re and im of each element in turn.
std::size_t place_of(const Encoding& encoding, std::size_t k) noexcept {
  const std::size_t half = encoding.stored_numbers() / 2;
  switch (encoding.parts) {
    case ComplexParts::interleaved:
      return k;
    case ComplexParts::exchanged:
      return k ^ 1U;
    case ComplexParts::apart:
      break;
  }
  return k < half ? 2 * k : 2 * (k - half) + 1;
}

// |det u - 1|, or |det u + 1| where that is less and may be: -1 is no element of SU(N) for odd N.
template <class Colors>
double distance_of_determinant_or_sign(Colors colors, const double* u) {
  physics::Matrix<Colors> copy(colors);
  std::copy_n(u, physics::matrix_numbers(colors), copy.data());
  const std::complex<double> determinant = physics::determinant_in_place(colors, copy.data());
  const double distance = std::abs(determinant - 1.0);
  return colors % 2 == 1 ? std::min(distance, std::abs(determinant + 1.0)) : distance;
}

double median(std::vector<double>& values) {
  if (values.empty()) return nothing;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

SiteReader::SiteReader(base::ByteSource& file, std::uint64_t offset, std::uint64_t site_bytes)
    : file_(file),
      offset_(offset),
      site_bytes_(site_bytes),
      block_sites_(std::max<std::uint64_t>(1, bytes_of_a_read / site_bytes)),
      slots_(slots) {}

base::Bytes SiteReader::site(std::uint64_t number) {
  const std::uint64_t block = number / block_sites_;
  Slot& slot = slots_[static_cast<std::size_t>(block % slots)];
  if (slot.bytes.empty() || slot.block != block) {
    slot.block = block;
    slot.bytes.resize(static_cast<std::size_t>(block_sites_ * site_bytes_));
    slot.bytes.resize(file_.read_at(offset_ + block * block_sites_ * site_bytes_, slot.bytes));
  }
  const auto begin = static_cast<std::size_t>((number - block * block_sites_) * site_bytes_);
  const base::Bytes bytes(slot.bytes);
  if (begin >= bytes.size()) return {};
  return bytes.subspan(begin, std::min(static_cast<std::size_t>(site_bytes_), bytes.size() - begin));
}

void decode(const Encoding& encoding, base::Bytes site, std::span<double> numbers) noexcept {
  const std::size_t stored = encoding.stored_numbers(), decoded = encoding.numbers();
  const auto step = static_cast<std::size_t>(encoding.number_bytes());
  const auto links = static_cast<std::size_t>(encoding.links);
  const std::byte* at = site.data();
  for (std::size_t link = 0; link < links; ++link) {
    for (std::size_t k = 0; k < stored; ++k, at += step) {
      numbers[link * decoded + place_of(encoding, k)] = number_at(encoding, at);
    }
  }
  if (encoding.third_rows_missing) {
    kernels::rebuild_third_rows(Precision::double_, reinterpret_cast<std::byte*>(numbers.data()), links);
  }
}

void encode(const Encoding& encoding, std::span<const double> numbers, base::MutableBytes site) noexcept {
  const std::size_t stored = encoding.stored_numbers(), decoded = encoding.numbers();
  const auto step = static_cast<std::size_t>(encoding.number_bytes());
  std::byte* at = site.data();
  for (std::size_t link = 0; link < static_cast<std::size_t>(encoding.links); ++link) {
    for (std::size_t k = 0; k < stored; ++k, at += step) {
      put_number(encoding, numbers[link * decoded + place_of(encoding, k)], at);
    }
  }
}

Fit fit_of(const Encoding& encoding, base::ByteSource& file, std::uint64_t sites, std::uint64_t samples) {
  SiteReader reader(file, encoding.offset, encoding.site_bytes());
  std::vector<double> numbers(static_cast<std::size_t>(encoding.links) * encoding.numbers());
  std::vector<double> distances, determinants;
  const std::uint64_t taken = std::min(sites, samples);
  physics::with_colors(encoding.colors, [&](auto n) {
    for (std::uint64_t k = 0; k < taken; ++k) {
      // Not on a grid of the lattice, where all samples might lie in one slice.
      const base::Bytes bytes = reader.site(k * (sites / taken) + (sites > taken ? k * k % (sites / taken) : 0));
      if (bytes.size() < encoding.site_bytes()) continue;
      decode(encoding, bytes, numbers);
      for (std::size_t link = 0; link < numbers.size(); link += encoding.numbers()) {
        const double* const u = numbers.data() + link;
        if (std::all_of(u, u + encoding.numbers(), [](double x) { return x == 0; })) continue;
        const double distance = physics::distance_from_unitarity(n, u);
        distances.push_back(std::isfinite(distance) ? distance : nothing);
        determinants.push_back(distance < 1 ? distance_of_determinant_or_sign(n, u) : nothing);
      }
    }
  });
  std::size_t good = 0;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    good += distances[k] < largest_distance && determinants[k] < largest_determinant ? 1 : 0;
  }
  const double share = distances.empty() ? 0 : static_cast<double>(good) / static_cast<double>(distances.size());
  return {median(distances), median(determinants), share};
}

std::vector<Encoding> encodings(const Encoding& declared) {
  std::vector<Encoding> all{declared};
  const auto add = [&](const Encoding& one) {
    if (std::ranges::find(all, one) == all.end()) all.push_back(one);
  };
  for (const bool two_rows : {false, true}) {
    if (two_rows && declared.colors != 3) continue;
    for (const Precision precision : {Precision::double_, Precision::single}) {
      for (const ComplexParts parts : {ComplexParts::interleaved, ComplexParts::exchanged, ComplexParts::apart}) {
        for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
          for (const bool exchanged : {false, true}) {
            if (exchanged && precision == Precision::single) continue;
            Encoding one = declared;
            one.third_rows_missing = two_rows;
            one.precision = precision;
            one.parts = parts;
            one.byte_order = order;
            one.halves_exchanged = exchanged;
            add(one);
          }
        }
      }
    }
  }
  return all;
}

}  // namespace lq::diagnosis
