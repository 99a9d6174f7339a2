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

constexpr double nothing = std::numeric_limits<double>::infinity();

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

// Calls work(index in the site's bytes, index in the decoded links) for each stored number.
template <class Work>
void for_each_number(const Encoding& encoding, Work&& work) noexcept {
  const auto strides = strides_of(encoding, 1);
  const auto stride = [&](Axis axis) { return static_cast<std::size_t>(strides[static_cast<std::size_t>(axis)]); };
  const auto columns = static_cast<std::size_t>(encoding.colors);
  const std::size_t rows = encoding.third_rows_missing ? columns - 1 : columns;
  for (std::size_t link = 0; link < static_cast<std::size_t>(encoding.links); ++link) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t from = link * stride(Axis::link) + row * stride(Axis::row);
      const std::size_t to = link * encoding.numbers() + 2 * row * columns;
      for (std::size_t k = 0; k < 2 * columns; ++k) {
        const std::size_t part = (k % 2) ^ (encoding.imaginary_first ? 1U : 0U);
        work(from + k / 2 * stride(Axis::column) + part * stride(Axis::part), to + k);
      }
    }
  }
}

bool is_single(double x) noexcept { return static_cast<double>(static_cast<float>(x)) == x; }

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

double median_of(std::vector<double>& values) {
  if (values.empty()) return nothing;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double number_at(const Encoding& encoding, const std::byte* at) noexcept {
  const bool is_big = encoding.byte_order == ByteOrder::big;
  if (encoding.precision == Precision::single) {
    return std::bit_cast<float>(is_big ? base::load_be<std::uint32_t>(at) : base::load_le<std::uint32_t>(at));
  }
  const std::uint64_t word = is_big ? base::load_be<std::uint64_t>(at) : base::load_le<std::uint64_t>(at);
  return std::bit_cast<double>(encoding.halves_exchanged ? std::rotl(word, 32) : word);
}

const std::vector<Axes>& all_axes() {
  static const std::vector<Axes> all = [] {
    std::vector<Axes> orders;
    Axes axes = natural_axes;
    do {
      if (std::ranges::find(axes, Axis::row) < std::ranges::find(axes, Axis::column)) orders.push_back(axes);
    } while (std::ranges::next_permutation(axes).found);
    return orders;
  }();
  return all;
}

std::uint64_t Encoding::extent(Axis axis) const noexcept {
  switch (axis) {
    case Axis::link:
      return static_cast<std::uint64_t>(links);
    case Axis::row:
      return static_cast<std::uint64_t>(third_rows_missing ? colors - 1 : colors);
    case Axis::column:
      return static_cast<std::uint64_t>(colors);
    case Axis::part:
      return 2;
    case Axis::site:
      break;
  }
  return 1;
}

std::uint64_t Encoding::arrays() const noexcept {
  std::uint64_t arrays = 1;
  for (const Axis axis : axes) {
    if (axis == Axis::site) break;
    arrays *= extent(axis);
  }
  return arrays;
}

Encoding Encoding::as_sequence(std::uint64_t begin) const noexcept {
  Encoding one = *this;
  one.offset = begin;
  const auto site = std::ranges::find(one.axes, Axis::site);
  std::rotate(one.axes.begin(), site, site + 1);
  return one;
}

std::array<std::uint64_t, 5> strides_of(const Encoding& encoding, std::uint64_t sites) noexcept {
  std::array<std::uint64_t, 5> strides{};
  std::uint64_t stride = 1;
  for (auto axis = encoding.axes.rbegin(); axis != encoding.axes.rend(); ++axis) {
    strides[static_cast<std::size_t>(*axis)] = stride;
    stride *= *axis == Axis::site ? sites : encoding.extent(*axis);
  }
  return strides;
}

void decode(const Encoding& encoding, base::Bytes site, std::span<double> numbers) noexcept {
  const auto step = static_cast<std::size_t>(encoding.number_bytes());
  for_each_number(encoding, [&](std::size_t from, std::size_t to) {
    numbers[to] = number_at(encoding, site.data() + from * step);
  });
  if (encoding.third_rows_missing) {
    kernels::rebuild_third_rows(Precision::double_, reinterpret_cast<std::byte*>(numbers.data()),
                                static_cast<std::uint64_t>(encoding.links));
  }
}

void encode(const Encoding& encoding, std::span<const double> numbers, base::MutableBytes site) noexcept {
  const auto step = static_cast<std::size_t>(encoding.number_bytes());
  for_each_number(encoding, [&](std::size_t to, std::size_t from) {
    put_number(encoding, numbers[from], site.data() + to * step);
  });
}

Distance distance_of(int colors, const double* u) {
  return physics::with_colors(colors, [&](auto n) {
    Distance far{physics::distance_from_unitarity(n, u), nothing};
    if (!std::isfinite(far.unitarity)) far.unitarity = nothing;
    if (far.unitarity >= 1) return far;
    physics::Matrix<decltype(n)> copy(n);
    std::copy_n(u, physics::matrix_numbers(n), copy.data());
    const std::complex<double> determinant = physics::determinant_in_place(n, copy.data());
    far.determinant = std::abs(determinant - 1.0);
    // For odd N, -1 is not in SU(N).
    if (n % 2 == 1) far.determinant = std::min(far.determinant, std::abs(determinant + 1.0));
    return far;
  });
}

Fit fit_of(const Encoding& encoding, base::ByteSource& file, std::uint64_t sites, std::uint64_t samples) {
  SiteReader reader(file, encoding.offset, encoding.site_bytes());
  std::vector<double> numbers(static_cast<std::size_t>(encoding.links) * encoding.numbers());
  std::vector<double> distances, determinants;
  const std::uint64_t taken = std::min(sites, samples);
  bool are_single = encoding.precision == Precision::double_;
  for (std::uint64_t k = 0; k < taken; ++k) {
    // Random sites: on a regular grid all samples might fall into one slice.
    const base::Bytes bytes = reader.site(k * (sites / taken) + (sites > taken ? k * k % (sites / taken) : 0));
    if (bytes.size() < encoding.site_bytes()) continue;
    decode(encoding, bytes, numbers);
    for (std::size_t link = 0; link < numbers.size(); link += encoding.numbers()) {
      const double* const u = numbers.data() + link;
      if (std::all_of(u, u + encoding.numbers(), [](double x) { return x == 0; })) continue;
      const Distance far = distance_of(encoding.colors, u);
      distances.push_back(far.unitarity);
      determinants.push_back(far.determinant);
      // A third row computed from the others has digits of its own.
      are_single = are_single && std::all_of(u, u + encoding.stored_numbers(), is_single);
    }
  }
  std::size_t good = 0;
  for (std::size_t k = 0; k < distances.size(); ++k) {
    good += distances[k] < largest_distance && determinants[k] < largest_determinant ? 1 : 0;
  }
  const double share = distances.empty() ? 0 : static_cast<double>(good) / static_cast<double>(distances.size());
  const bool is_any = !distances.empty();
  return {median_of(distances), median_of(determinants), share, is_any && are_single};
}

}  // namespace lq::diagnosis
