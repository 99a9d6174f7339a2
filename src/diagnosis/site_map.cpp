// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/site_map.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

namespace lq::diagnosis {
namespace {

using Digits = std::span<const Digit>;

std::uint64_t number_without_parity(const SiteMap& map, const Coord& x) noexcept {
  std::uint64_t number = 0, weight = 1;
  for (const Digit& digit : map.digits) {
    number += weight * (static_cast<std::uint64_t>(x[digit.dimension]) / digit.step % digit.count);
    weight *= digit.count;
  }
  return number;
}

// The parity of the sum of a number's digits.
bool is_odd(Digits digits, std::uint64_t number) noexcept {
  std::uint64_t sum = 0;
  for (const Digit& digit : digits) {
    sum += number % digit.count;
    number /= digit.count;
  }
  return sum % 2 == 1;
}

// How many of the numbers below `number` have an even digit sum: half of each row of the fastest digit, plus or
// minus one if its length is odd.
std::uint64_t even_below(Digits digits, std::uint64_t number) noexcept {
  if (digits.empty()) return number;
  const std::uint64_t length = digits.front().count, row = number / length, within = number % length;
  const Digits slower = digits.subspan(1);
  const std::uint64_t begun = (within + (is_odd(slower, row) ? 0 : 1)) / 2;
  if (length % 2 == 0) return row * (length / 2) + begun;
  const std::uint64_t even_rows = even_below(slower, row);
  return even_rows * ((length + 1) / 2) + (row - even_rows) * (length / 2) + begun;
}

std::uint64_t of_parity_below(Digits digits, std::uint64_t number, bool odd) noexcept {
  const std::uint64_t even = even_below(digits, number);
  return odd ? number - even : even;
}

// The number with index k among those of its parity.
std::uint64_t of_parity(Digits digits, std::uint64_t sites, std::uint64_t k, bool odd) noexcept {
  if (!digits.empty() && digits.front().count % 2 == 0) {
    const bool is_first = is_odd(digits, 2 * k) == odd;  // first of two neighbours in a row
    return 2 * k + (is_first ? 0 : 1);
  }
  std::uint64_t low = 0, high = sites - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    of_parity_below(digits, middle + 1, odd) > k ? high = middle : low = middle + 1;
  }
  return low;
}

}  // namespace

std::string_view parity_name(Parity parity) noexcept {
  return parity == Parity::none ? "" : parity == Parity::even_first ? "even" : "odd";
}

SiteMap sequence_of(const Extents& extents, const SiteOrder& order, Parity parity) {
  SiteMap map{extents, {}, parity};
  for (const int d : order) map.digits.push_back({d, static_cast<std::uint64_t>(extents[d]), 1});
  return map;
}

SiteMap processes_of(const Extents& extents, const Coord& processes, bool ranks_last_fastest) {
  SiteMap map{extents, {}, Parity::none};
  const int dimensions = extents.size();
  for (int d = 0; d < dimensions; ++d) {
    map.digits.push_back({d, static_cast<std::uint64_t>(extents[d] / processes[d]), 1});
  }
  for (int k = 0; k < dimensions; ++k) {
    const int d = ranks_last_fastest ? dimensions - 1 - k : k;
    map.digits.push_back(
        {d, static_cast<std::uint64_t>(processes[d]), static_cast<std::uint64_t>(extents[d] / processes[d])});
  }
  return map;
}

std::uint64_t number_of(const SiteMap& map, const Coord& x) noexcept {
  const std::uint64_t number = number_without_parity(map, x);
  if (map.parity == Parity::none) return number;
  const bool odd = is_odd(map.digits, number), is_in_front = odd == (map.parity == Parity::odd_first);
  return of_parity_below(map.digits, number, odd) +
         (is_in_front ? 0 : of_parity_below(map.digits, volume(map.extents), !odd));
}

Coord site_of(const SiteMap& map, std::uint64_t number) noexcept {
  if (map.parity != Parity::none) {
    const std::uint64_t sites = volume(map.extents);
    bool odd = map.parity == Parity::odd_first;
    const std::uint64_t in_front = of_parity_below(map.digits, sites, odd);
    if (number >= in_front) odd = !odd;
    number = of_parity(map.digits, sites, number >= in_front ? number - in_front : number, odd);
  }
  Coord x = whole(map.extents).lower;
  for (const Digit& digit : map.digits) {
    x[digit.dimension] += static_cast<std::int64_t>(number % digit.count * digit.step);
    number /= digit.count;
  }
  return x;
}

void LinkReader::read(std::uint64_t site, std::span<double> numbers) {
  const base::Bytes bytes = reader_.site(site);
  if (bytes.size() < encoding_.site_bytes()) {
    std::ranges::fill(numbers, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  decode(encoding_, bytes, numbers);
}

void Corner::move_to(const SiteMap& map, const Coord& x) {
  const int dimensions = map.extents.size();
  numbers_.resize(static_cast<std::size_t>(dimensions + 1) * site_numbers_);
  const std::span<double> all(numbers_);
  reader_.read(number_of(map, x), all.first(site_numbers_));
  for (int d = 0; d < dimensions; ++d) {
    Coord next = x;
    next[d] = (x[d] + 1) % map.extents[d];
    reader_.read(number_of(map, next), all.subspan(static_cast<std::size_t>(d + 1) * site_numbers_, site_numbers_));
  }
}

}  // namespace lq::diagnosis
