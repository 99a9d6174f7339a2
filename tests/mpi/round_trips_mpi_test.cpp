// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// There and back between all pairs of formats of the library that hold a field: the bits in memory are those that were
// written. Lattices, kinds, precisions and process grids are drawn; LQ_SEED tries other ones, LQ_TRIALS more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat/limequat.hpp>

#include "mpi/harness.hpp"

namespace lq {
namespace {

using testing::SharedDirectory;
using testing::world_rank;

unsigned long from_environment(const char* name, unsigned long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoul(text, nullptr, 10) : otherwise;
}

// All ranks draw the same.
class Draw {
 public:
  explicit Draw(unsigned long seed) : random_(static_cast<std::mt19937::result_type>(seed)) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(high - low + 1));
  }
  std::uint64_t number() { return random_(); }

  // Extents of 2 to 6, often all even: some formats have no others.
  Extents lattice() {
    Extents extents = Extents::filled(4, 2);
    const bool all_even = between(0, 3) > 0;
    for (int d = 0; d < 4; ++d) extents[d] = all_even ? 2 * between(1, 3) : between(2, 6);
    return extents;
  }

  // All ranks dealt out over the dimensions, prime by prime.
  GridOptions dealt(const Extents& extents, int ranks) {
    Extents processes = Extents::filled(4, 1);
    for (int rest = ranks, prime = 2; rest > 1; rest % prime == 0 ? rest /= prime : ++prime) {
      if (rest % prime == 0) processes[static_cast<int>(between(0, 3))] *= prime;
    }
    for (int d = 0; d < 4; ++d) {
      if (processes[d] > extents[d]) return {};
    }
    return {.processes = processes};
  }

  FieldSpec field() {
    const Precision precision = between(0, 1) == 0 ? Precision::single : Precision::double_;
    switch (between(0, 5)) {
      case 0:
        return with_numbers(spinor_spec(precision), 24);
      case 1:
        return with_numbers(propagator_spec(precision), 288);
      case 2: {
        const auto numbers = static_cast<std::uint64_t>(between(1, 9));
        const bool is_complex = between(0, 1) == 0;
        return generic_spec(precision, is_complex ? 2 * numbers : numbers, is_complex);
      }
      default: {
        const int colors = between(0, 3) == 0 ? 2 : 3;
        return with_numbers(gauge_spec(precision, colors, 4), static_cast<std::uint64_t>(8 * colors * colors));
      }
    }
  }

 private:
  static FieldSpec with_numbers(FieldSpec spec, std::uint64_t numbers) {
    spec.numbers = numbers;
    return spec;
  }

  std::mt19937 random_;
};

// A number of a site that depends on nothing but its place: of any sign and many magnitudes, now and then a zero with a
// sign, the smallest there is, or one that single precision rounds.
template <class Real>
Real number_at(std::uint64_t seed, std::uint64_t site, std::uint64_t k) {
  std::uint64_t bits = (seed + site * 1000003 + k) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9U;
  bits ^= bits >> 32;
  if (bits % 97 == 0) return -Real{0};
  if (bits % 89 == 0) return std::numeric_limits<Real>::denorm_min();
  const auto mantissa = static_cast<Real>(static_cast<double>(bits >> 11) * 0x1p-53 - 0.5);
  return std::ldexp(mantissa, static_cast<int>(bits % 40) - 20);
}

// Links are in the group: formats without a magic are recognised by that.
template <class Real>
std::vector<Real> numbers_on(const Grid& grid, const FieldSpec& spec, std::uint64_t seed) {
  std::vector<Real> numbers(static_cast<std::size_t>(grid.local_volume() * spec.numbers));
  if (spec.kind == FieldKind::gauge) {
    std::vector<double> links(numbers.size());
    generate(grid, gauge(links, {.colors = spec.colors}),
             {.sweeps = 1, .over_relaxation = 0, .seed = seed, .hot_start = true});
    for (std::size_t i = 0; i < links.size(); ++i) numbers[i] = static_cast<Real>(links[i]);
    return numbers;
  }
  const Box& box = grid.local_box();
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < grid.local_volume(); ++i) {
    std::uint64_t rest = i, site = 0, stride = 1;
    for (int d = 0; d < 4; ++d) {
      const auto extent = static_cast<std::uint64_t>(box.extents[d]);
      site += stride * (static_cast<std::uint64_t>(box.lower[d]) + rest % extent);
      stride *= static_cast<std::uint64_t>(grid.extents()[d]);
      rest /= extent;
    }
    for (std::uint64_t k = 0; k < spec.numbers; ++k) numbers[at++] = number_at<Real>(seed, site, k);
  }
  return numbers;
}

template <class Real>
bool has_same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  return std::ranges::equal(a, b, [](Real x, Real y) { return std::bit_cast<Word>(x) == std::bit_cast<Word>(y); });
}

// One field: written in each format that holds it, converted to each other one and back.
template <class Real>
class RoundTrips {
 public:
  RoundTrips(const SharedDirectory& directory, Draw& draw, const Extents& extents, FieldSpec spec)
      : directory_(directory), draw_(draw), extents_(extents), spec_(spec), seed_(draw.number()) {}

  // How many pairs there were.
  std::size_t run() {
    std::vector<std::string> names;
    for (const FormatInfo& format : formats()) {
      if (format.contents == Contents::fields && is_written(format)) names.emplace_back(format.name);
    }
    for (const std::string& there : names) {
      for (const std::string& back : names) go(there, back);
    }
    return names.size() * names.size();
  }

 private:
  Grid grid() {
    const Communicator world = mpi::communicator(MPI_COMM_WORLD);
    return {world, extents_, draw_.dealt(extents_, world.size())};
  }

  std::string path_of(const std::string& format) const { return directory_ / ("of_" + format); }

  bool is_written(const FormatInfo& format) {
    const Grid grid = this->grid();
    const std::vector<Real> numbers = numbers_on<Real>(grid, spec_, seed_);
    const std::string name(format.name);
    try {
      write(path_of(name), grid, Field{spec_, numbers.data(), numbers.size(), {}, {}},
            {.format = name, .sync = Sync::none, .overwrite = true});
      return true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::unsupported) << error.what();
      return false;
    }
  }

  void go(const std::string& there, const std::string& back) {
    SCOPED_TRACE(there + " to " + back + " and back");
    const std::string to = directory_ / "to", from = directory_ / "back";
    try {
      convert_as(path_of(there), to, back);
      convert_as(to, from, there);
      EXPECT_EQ(inspect(from, grid().communicator()).format, there);
      const Grid grid = this->grid();
      std::vector<Real> numbers(static_cast<std::size_t>(grid.local_volume() * spec_.numbers), Real{-7});
      const Report report = read(from, grid, MutableField{spec_, numbers.data(), numbers.size(), {}, {}});
      EXPECT_NE(report.status, ChecksumStatus::mismatch);
      EXPECT_TRUE(has_same_bits(numbers, numbers_on<Real>(grid, spec_, seed_)));
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }

  void convert_as(const std::string& from, const std::string& to, const std::string& format) {
    // Texts that say how a format of the pair lays its numbers have no place in the other.
    convert(from, to, grid().communicator(),
            {.write = {.format = format, .sync = Sync::none, .overwrite = true}, .allow_loss = true});
  }

  const SharedDirectory& directory_;
  Draw& draw_;
  Extents extents_;
  FieldSpec spec_;
  std::uint64_t seed_;
};

TEST(AllPairsOfFormats, KeepTheBitsOfRandomFieldsThereAndBack) {
  const unsigned long seed = from_environment("LQ_SEED", 2026), trials = from_environment("LQ_TRIALS", 6);
  if (world_rank() == 0) std::printf("LQ_SEED=%lu\n", seed);
  const SharedDirectory directory;
  const Communicator world = mpi::communicator(MPI_COMM_WORLD);
  Draw draw(seed);
  std::size_t pairs = 0;
  const auto start = std::chrono::steady_clock::now();
  for (unsigned long trial = 0; trial < trials; ++trial) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (trial > 1 && world.max(spent.count()) > 15) break;
    const Extents extents = draw.lattice();
    const FieldSpec spec = draw.field();
    SCOPED_TRACE("trial " + std::to_string(trial) + ", " + to_string(extents) + ", " + std::string(name(spec.kind)) +
                 ", " + std::to_string(spec.numbers) + " numbers, " + std::string(name(spec.precision)));
    pairs += spec.precision == Precision::single ? RoundTrips<float>(directory, draw, extents, spec).run()
                                                 : RoundTrips<double>(directory, draw, extents, spec).run();
  }
  EXPECT_GE(pairs, 4U);
  if (world_rank() == 0) std::printf("%zu pairs\n", pairs);
}

}  // namespace
}  // namespace lq
