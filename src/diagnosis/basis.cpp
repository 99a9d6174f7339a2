// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/diagnose.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <vector>

#include "kernels/pack.hpp"

namespace lq::diagnosis {
namespace {

constexpr int spins = 4;
constexpr std::uint64_t bytes_of_a_block = base::mebi;
// Solvers stop at relative residuals of 1e-6 or less; in the wrong basis the difference is as large as S.
constexpr double largest_difference = 1e-3;

struct Propagator {
  const std::vector<double>& numbers;  // [sink spin][source spin][sink colour][source colour]
  int colors;

  std::complex<double> at(int s, int r, int a, int b) const noexcept {
    const auto k = 2 * static_cast<std::size_t>(((s * spins + r) * colors + a) * colors + b);
    return {numbers[k], numbers[k + 1]};
  }
};

// gamma5 maps spin s to another with a sign: S - gamma5 S^dagger gamma5.
template <class Partner, class Sign>
double difference(const Propagator& u, Partner partner, Sign sign) {
  double largest = 0, size = 0;
  for (int s = 0; s < spins; ++s) {
    for (int r = 0; r < spins; ++r) {
      for (int a = 0; a < u.colors; ++a) {
        for (int b = 0; b < u.colors; ++b) {
          const auto other = sign(s) * sign(r) * std::conj(u.at(partner(r), partner(s), b, a));
          largest = std::max(largest, std::abs(u.at(s, r, a, b) - other));
          size = std::max(size, std::abs(u.at(s, r, a, b)));
        }
      }
    }
  }
  return size > 0 ? largest / size : 1;
}

// Visits all sites one at a time and stores the one with the largest sum of squares.
class LargestSite {
 public:
  explicit LargestSite(const Subject& subject)
      : form_{.numbers = subject.spec.numbers,
              .memory = Precision::double_,
              .file = subject.spec.precision,
              .swap = (subject.byte_order == ByteOrder::big) != (std::endian::native == std::endian::big)},
        site_(subject.spec.numbers) {}

  void look_at(const std::byte* bytes, std::uint64_t number) {
    kernels::unpack_sites(form_, bytes, 1, reinterpret_cast<std::byte*>(site_.data()), 0);
    double square = 0;
    for (const double x : site_) square += x * x;
    if (!(square > square_) || !std::isfinite(square)) return;
    square_ = square;
    number_ = number;
    largest_ = site_;
  }
  const std::vector<double>& numbers() const noexcept { return largest_; }
  std::uint64_t number() const noexcept { return number_; }

 private:
  kernels::SiteForm form_;
  std::vector<double> site_, largest_;
  double square_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

std::optional<Basis> BasisFit::basis() const noexcept {
  if (chiral < largest_difference && dirac > 10 * largest_difference) return Basis::chiral;
  if (dirac < largest_difference && chiral > 10 * largest_difference) return Basis::dirac;
  return {};
}

std::optional<BasisFit> basis_of(const Subject& subject, base::ByteSource& file, const Progress& progress) {
  const FieldSpec& spec = subject.spec;
  if (spec.kind != FieldKind::propagator || spec.spins != spins || subject.site_bytes != spec.site_bytes()) return {};
  if (subject.end <= subject.offset) return {};
  const std::uint64_t at_once = std::max<std::uint64_t>(1, bytes_of_a_block / subject.site_bytes);
  const std::uint64_t all = std::min(volume(subject.extents), (subject.end - subject.offset) / subject.site_bytes);
  std::vector<std::byte> block(static_cast<std::size_t>(at_once * subject.site_bytes));
  LargestSite largest(subject);
  for (std::uint64_t site = 0; site < all; site += at_once) {
    const std::size_t got = file.read_at(subject.offset + site * subject.site_bytes, block);
    const std::uint64_t sites = std::min(all - site, got / subject.site_bytes);
    for (std::uint64_t k = 0; k < sites; ++k) largest.look_at(block.data() + k * subject.site_bytes, site + k);
    if (progress) progress(std::min(all, site + at_once), all);
  }
  if (largest.numbers().empty()) return {};
  const Propagator u{largest.numbers(), spec.colors};
  return BasisFit{.source = site_of(subject.ordering.sites, largest.number()),
                  .chiral = difference(
                      u, [](int s) { return s; }, [](int s) { return s < 2 ? 1.0 : -1.0; }),
                  .dirac = difference(
                      u, [](int s) { return (s + 2) % spins; }, [](int) { return 1.0; })};
}

}  // namespace lq::diagnosis
