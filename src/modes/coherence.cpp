// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/coherence.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/exact_sum.hpp"
#include "comm/agree.hpp"
#include "lattice/local_field.hpp"

namespace lq::modes {

namespace {

// A mode is omitted if the square of its new component is below this fraction of its own.
constexpr double least_part = 1e-9;

using Complex = std::complex<double>;

// The start of row i of a triangle.
constexpr std::size_t row_of(std::size_t i) noexcept { return i * (i + 1) / 2; }

// a - sum over k < count of l[k] * conj(m[k])
Complex without(Complex a, const Complex* l, const Complex* m, std::size_t count) noexcept {
  double re = a.real(), im = a.imag();
  for (std::size_t k = 0; k < count; ++k) {
    re -= l[k].real() * m[k].real() + l[k].imag() * m[k].imag();
    im -= l[k].imag() * m[k].real() - l[k].real() * m[k].imag();
  }
  return {re, im};
}

// L y = b, then the conjugate transpose of L c = y; if the diagonal is zero, c is zero.
void solve(const std::vector<Complex>& factor, std::span<Complex> c) noexcept {
  const std::size_t count = c.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Complex* const row = factor.data() + row_of(i);
    const double diagonal = row[i].real();
    Complex sum = c[i];
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * c[k];
    c[i] = diagonal > 0 ? sum / diagonal : Complex{};
  }
  for (std::size_t i = count; i-- > 0;) {
    const Complex* const row = factor.data() + row_of(i);
    const double diagonal = row[i].real();
    c[i] = diagonal > 0 ? c[i] / diagonal : Complex{};
    for (std::size_t k = 0; k < i; ++k) c[k] -= std::conj(row[k]) * c[i];
  }
}

}  // namespace

Projection::Projection(Basis basis) : basis_(std::move(basis)) {
  factors_.resize(static_cast<std::size_t>(basis_.cover().volume()));
}

void Projection::add(std::span<const double> vector) {
  basis_.add(vector);
  const auto i = static_cast<std::size_t>(basis_.size() - 1);
  for (std::size_t block = 0; block < factors_.size(); ++block) {
    Rows& factor = factors_[block];
    factor.resize(row_of(i + 1));
    Complex* const row = factor.data() + row_of(i);
    double left = basis_.product(block, i, i).real();
    const double own = left;
    for (std::size_t j = 0; j < i; ++j) {
      const Complex* const other = factor.data() + row_of(j);
      const double diagonal = other[j].real();
      if (!(diagonal > 0)) continue;
      row[j] = without(std::conj(basis_.product(block, j, i)), row, other, j) / diagonal;
      left -= std::norm(row[j]);
    }
    row[i] = left > least_part * own ? std::sqrt(left) : 0;
  }
}

std::vector<Complex> Projection::coefficients(std::span<const double> vector, Precision precision) const {
  const auto count = static_cast<std::size_t>(basis_.size());
  std::vector<Complex> all(factors_.size() * count);
  for (std::size_t block = 0; block < factors_.size(); ++block) {
    const std::span of_block(all.data() + block * count, count);
    for (std::size_t j = 0; j < count; ++j) of_block[j] = basis_.product(block, j, vector);
    solve(factors_[block], of_block);
  }
  if (precision == Precision::double_) return all;
  for (Complex& one : all) one = {static_cast<float>(one.real()), static_cast<float>(one.imag())};
  return all;
}

namespace {

// Added to the measured error, because a reader may sum in another order.
constexpr double room_for_rounding = 1e-9, factor_for_rounding = 1 + 1e-6;

// Blocks as sites.
Box sites_of(Box blocks, const Extents& block) {
  for (int d = 0; d < block.size(); ++d) {
    blocks.lower[d] *= block[d];
    blocks.extents[d] *= block[d];
  }
  return blocks;
}

template <class Number>
std::vector<double> numbers_of(const Grid& grid, const Field& field) {
  std::vector<Number> numbers(static_cast<std::size_t>(
      base::multiply_or_throw(grid.local_volume(), field.spec.numbers, "the numbers of the local field")));
  lattice::take_sites(grid, field, std::as_writable_bytes(std::span(numbers)).data());
  return {numbers.begin(), numbers.end()};
}

// Over all blocks of all ranks, independent of their distribution. NaN: one of the squares is not finite.
double norm_of(comm::Comm& comm, const std::vector<double>& squares) {
  const double own = squares.empty() ? 0 : *std::ranges::max_element(squares);
  const double largest = comm::max_over_ranks(comm, own);
  base::ExactSum sum;
  for (const double square : squares) sum.add(largest > 0 ? square / largest : square);
  auto words = sum.words();
  comm.all_reduce(words, comm::Reduce::sum);
  return std::sqrt(base::ExactSum::from_words(words).value() * (largest > 0 ? largest : 1));
}

std::vector<double> squares_of(const Basis& basis, std::span<const double> vector) {
  std::vector<double> squares(static_cast<std::size_t>(basis.cover().volume()));
  for (std::size_t block = 0; block < squares.size(); ++block) squares[block] = basis.square(block, vector);
  return squares;
}

}  // namespace

Compression::Compression(const Grid& grid, const Grid& blocks, const Description& description, const Box& box)
    : grid_(grid), blocks_(blocks), description_(description), projection_(Basis(description, box)) {}

std::unique_ptr<Compression> Compression::of(const Grid& grid, const Description& description) {
  if (description.coherence.basis == 0) return nullptr;
  const Grid blocks = grid_of_blocks(grid, description);
  std::vector<Coord> wanted;
  auto made = comm::agree(grid.communicator().engine(), [&] {
    const Box box = sites_of(blocks.local_box(), description.coherence.block);
    wanted = list_of(box);
    return std::unique_ptr<Compression>(new Compression(grid, blocks, description, box));
  });
  made->exchange_.emplace(grid, wanted);
  return made;
}

// Collective. The vector on this rank's blocks.
std::vector<double> Compression::on_blocks(const Field& vector) const {
  std::vector<double> own, numbers;
  comm::agree(grid_.communicator().engine(), [&] {
    const Field field = lattice::resolve_field(grid_, vector);
    const std::uint64_t expected = description_.field().numbers;
    if (field.spec.numbers != expected || !field.spec.is_complex) {
      throw Error(
          Code::invalid_argument,
          fmt::format("a site of a vector of this set has {} complex numbers, the field has {} {}", expected / 2,
                      field.spec.numbers, field.spec.is_complex ? "reals as pairs" : "reals"),
          {.expected = fmt::format("{} numbers", expected), .found = fmt::format("{} numbers", field.spec.numbers)});
    }
    own =
        field.spec.precision == Precision::single ? numbers_of<float>(grid_, field) : numbers_of<double>(grid_, field);
    numbers.resize(static_cast<std::size_t>(projection_.basis().numbers()));
  });
  exchange_->exchange(std::as_bytes(std::span(own)).data(),
                      static_cast<std::size_t>(description_.field().numbers * sizeof(double)),
                      std::as_writable_bytes(std::span(numbers)).data());
  return numbers;
}

void Compression::add(const Field& vector) {
  const std::vector<double> numbers = on_blocks(vector);
  comm::agree(grid_.communicator().engine(), [&] { projection_.add(numbers); });
  ++size_;
}

void Compression::add(const Set& set) {
  std::vector<double> numbers;
  FieldSpec spec = description_.field();
  spec.precision = Precision::double_;
  comm::agree(grid_.communicator().engine(), [&] {
    numbers.resize(static_cast<std::size_t>(base::multiply_or_throw(grid_.local_volume(), spec.numbers, "a vector")));
  });
  const MutableField vector{spec, numbers.data(), numbers.size(), {}, {}};
  while (size_ < set.size() && !is_complete()) {
    set.read(size_, grid_, vector);
    add(vector);
  }
}

Encoded Compression::encode(const Field& vector, const Mode& mode) const {
  comm::Comm& comm = grid_.communicator().engine();
  const std::vector<double> numbers = on_blocks(vector);
  const Basis& basis = projection_.basis();
  std::vector<double> own, lost;  // squares, by block
  Encoded made = comm::agree(comm, [&] {
    Encoded whole{grid_, vector, mode};
    whole.coefficients = projection_.coefficients(numbers, description_.field().precision);
    std::vector<double> given_back(numbers.size());
    basis.combine(whole.coefficients, given_back);
    own = squares_of(basis, numbers);
    std::ranges::transform(numbers, given_back, given_back.begin(), std::minus<>());
    lost = squares_of(basis, given_back);
    return whole;
  });
  const double norm = norm_of(comm, own), wrong = norm_of(comm, lost);
  const double error = wrong == 0 ? 0 : wrong / norm * factor_for_rounding + room_for_rounding;
  // Also if it is NaN.
  if (!(error <= description_.coherence.tolerance)) return made;
  made.grid = blocks_;
  made.field = {generic_spec(Precision::double_, 2 * size_, true),
                made.coefficients.data(),
                2 * made.coefficients.size(),
                {},
                {}};
  made.mode.error = error;
  return made;
}

}  // namespace lq::modes
