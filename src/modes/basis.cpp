// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/basis.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "comm/agree.hpp"
#include "kernels/site_numbers.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"

namespace lq::modes {
namespace {

// to += c * from, complex numbers as pairs.
template <class Number>
void add_multiple(std::complex<double> c, const Number* from, std::uint64_t count, double* to) noexcept {
  const double re = c.real(), im = c.imag();
  for (std::uint64_t k = 0; k < count; k += 2) {
    const auto a = static_cast<double>(from[k]), b = static_cast<double>(from[k + 1]);
    to[k] += re * a - im * b;
    to[k + 1] += re * b + im * a;
  }
}

template <class A, class B>
void add_product(const A* a, const B* b, std::uint64_t count, double& re, double& im) noexcept {
  for (std::uint64_t k = 0; k < count; k += 2) {
    const auto ar = static_cast<double>(a[k]), ai = static_cast<double>(a[k + 1]);
    const auto br = static_cast<double>(b[k]), bi = static_cast<double>(b[k + 1]);
    re += ar * br + ai * bi;
    im += ar * bi - ai * br;
  }
}

// The values that a reader in single precision gets from sites in fixed point.
std::vector<float> through_fixed16(std::span<const double> vector, std::uint64_t site_numbers) {
  std::vector<float> numbers(vector.size());
  std::vector<std::uint32_t> words(static_cast<std::size_t>(kernels::fixed16_words(site_numbers)));
  for (std::size_t at = 0; at < vector.size(); at += static_cast<std::size_t>(site_numbers)) {
    std::byte* const fixed = std::as_writable_bytes(std::span(words)).data();
    kernels::to_fixed16(Precision::double_, site_numbers, std::as_bytes(vector.subspan(at)).data(), 0, 1, fixed);
    kernels::from_fixed16(Precision::single, site_numbers, fixed, 1,
                          std::as_writable_bytes(std::span(numbers).subspan(at)).data(), 0);
  }
  return numbers;
}

}  // namespace

Box cover_of(const Box& box, const Extents& block) {
  Box cover = box;
  for (int d = 0; d < box.extents.size(); ++d) {
    cover.lower[d] = box.lower[d] / block[d];
    const std::int64_t end = (box.lower[d] + box.extents[d] + block[d] - 1) / block[d];
    cover.extents[d] = box.extents[d] == 0 ? 0 : end - cover.lower[d];
  }
  return cover;
}

Basis::Basis(const Description& description, const Box& box)
    : box_(box),
      cover_(cover_of(box, description.coherence.block)),
      block_(description.coherence.block),
      site_numbers_(description.field().numbers),
      numbers_(base::multiply_or_throw(box.volume(), site_numbers_, "a vector")),
      storage_(description.storage) {}

void Basis::add(std::span<const double> vector) {
  if (storage_ == Storage::double_) {
    double_.emplace_back(vector.begin(), vector.end());
  } else if (storage_ == Storage::single) {
    std::vector<float> numbers(vector.size());
    std::ranges::transform(vector, numbers.begin(), [](double number) { return static_cast<float>(number); });
    single_.push_back(std::move(numbers));
  } else {
    single_.push_back(through_fixed16(vector, site_numbers_));
  }
  ++count_;
}

template <class Work>
void Basis::for_each_row(std::uint64_t block, Work&& work) const {
  const int dimensions = box_.extents.size();
  const SiteOrder order = lattice::resolve_order({}, dimensions);
  Box sites{lattice::site_at(block, cover_, order), block_};
  for (int d = 0; d < dimensions; ++d) sites.lower[d] *= block_[d];
  sites = intersect(sites, box_);
  if (sites.empty()) return;
  Row row{0, static_cast<std::uint64_t>(sites.extents[0]) * site_numbers_};
  sites.extents[0] = 1;
  Coord x = sites.lower;
  do {
    row.first = lattice::site_number(x, box_, order) * site_numbers_;
    work(row);
  } while (lattice::advance(x, sites, order));
}

template <class Work>
void Basis::with_mode(std::uint64_t j, const Work& work) const {
  const auto number = static_cast<std::size_t>(j);
  if (storage_ == Storage::double_) {
    work(double_[number].data());
  } else {
    work(single_[number].data());
  }
}

void Basis::combine(std::uint64_t block, std::span<const std::complex<double>> coefficients,
                    std::span<double> vector) const {
  for_each_row(block, [&](const Row& row) {
    double* const to = vector.data() + row.first;
    std::fill_n(to, row.count, 0.0);
    for (std::uint64_t i = 0; i < count_; ++i) {
      with_mode(i, [&](const auto* mode) { add_multiple(coefficients[i], mode + row.first, row.count, to); });
    }
  });
}

void Basis::combine(std::span<const std::complex<double>> coefficients, std::span<double> vector) const {
  for (std::uint64_t block = 0; block < cover_.volume(); ++block) {
    combine(block, coefficients.subspan(static_cast<std::size_t>(block * count_)), vector);
  }
}

template <class A, class B>
std::complex<double> Basis::product(std::uint64_t block, const A* a, const B* b) const {
  double re = 0, im = 0;
  for_each_row(block, [&](const Row& row) { add_product(a + row.first, b + row.first, row.count, re, im); });
  return {re, im};
}

std::complex<double> Basis::product(std::uint64_t block, std::uint64_t j, std::uint64_t i) const {
  std::complex<double> result;
  with_mode(j, [&](const auto* a) { with_mode(i, [&](const auto* b) { result = product(block, a, b); }); });
  return result;
}

std::complex<double> Basis::product(std::uint64_t block, std::uint64_t j, std::span<const double> vector) const {
  std::complex<double> result;
  with_mode(j, [&](const auto* a) { result = product(block, a, vector.data()); });
  return result;
}

double Basis::square(std::uint64_t block, std::span<const double> vector) const {
  return product(block, vector.data(), vector.data()).real();
}

namespace {

GridOptions dealing_of(const Grid& grid, const Extents& blocks) {
  const Extents& processes = grid.processes();
  bool divides = true;
  for (int d = 0; d < blocks.size(); ++d) divides = divides && blocks[d] % processes[d] == 0;
  GridOptions options;
  if (divides) {
    const lattice::Decomposition& dealt = grid.decomposition();
    options.processes = processes;
    if (dealt.holders().empty()) {
      options.rank_order = dealt.rank_order();
    } else {
      options.ranks.resize(dealt.holders().size());
      for (std::size_t i = 0; i < options.ranks.size(); ++i) {
        options.ranks[i] = dealt.rank_at(lattice::site_of_rank(i, processes));
      }
    }
  }
  options.idle_ranks = true;
  return options;
}

}  // namespace

Grid grid_of_blocks(const Grid& grid, const Description& description) {
  const Extents blocks = description.blocks();
  comm::Comm& comm = grid.communicator().engine();
  return Grid(grid.communicator(), blocks, comm::agree_alike(comm, [&] { return dealing_of(grid, blocks); }));
}

std::vector<Coord> list_of(const Box& box) {
  const SiteOrder order = lattice::resolve_order({}, box.extents.size());
  std::vector<Coord> sites(static_cast<std::size_t>(box.volume()));
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i] = lattice::site_at(i, box, order);
  return sites;
}

}  // namespace lq::modes
