// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sequence of sites is told by the extents of its digits alone, and a plaquette by two links of a site and two of its
// digits: with the averages of all such combinations, which are few, each order of the links is a sum of them.
#include "diagnosis/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <tuple>

#include "diagnosis/link_reader.hpp"
#include "physics/su_n.hpp"

namespace lq::diagnosis {
namespace {

struct Moments {
  double sum = 0, squares = 0;
  std::uint64_t count = 0;

  void add(double x) noexcept {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const noexcept { return count == 0 ? 0 : sum / static_cast<double>(count); }
  // The variance of the mean.
  double variance() const noexcept {
    if (count < 2) return 1;
    const auto n = static_cast<double>(count);
    return std::max(0.0, squares / n - mean() * mean()) / n;
  }
};

bool is_zero(const double* u, std::size_t numbers) noexcept {
  return std::all_of(u, u + numbers, [](double x) { return x == 0; });
}

bool is_usable(const double* u, std::size_t numbers) noexcept {
  return std::all_of(u, u + numbers, [](double x) { return std::isfinite(x); }) && !is_zero(u, numbers);
}

// Averages over plaquettes with link a of the site along digit i, and link b along digit j.
class Combinations {
 public:
  explicit Combinations(int dimensions)
      : dimensions_(static_cast<std::size_t>(dimensions)),
        moments_(dimensions_ * dimensions_ * dimensions_ * dimensions_) {}

  Moments& at(int a, int b, int i, int j) noexcept { return moments_[index(a, b, i, j)]; }
  const Moments& at(int a, int b, int i, int j) const noexcept { return moments_[index(a, b, i, j)]; }

 private:
  std::size_t index(int a, int b, int i, int j) const noexcept {
    return ((static_cast<std::size_t>(a) * dimensions_ + static_cast<std::size_t>(b)) * dimensions_ +
            static_cast<std::size_t>(i)) *
               dimensions_ +
           static_cast<std::size_t>(j);
  }
  std::size_t dimensions_;
  std::vector<Moments> moments_;
};

template <class Colors>
void add_corner(Colors colors, const Corner& corner, int dimensions, bool transposed, Combinations& all) {
  const std::size_t numbers = physics::matrix_numbers(colors);
  const auto n = static_cast<std::size_t>(dimensions);
  std::vector<double> products(n * n * n * numbers);
  const auto product = [&](int a, int b, int i) {
    return products.data() +
           ((static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)) * n + static_cast<std::size_t>(i)) *
               numbers;
  };
  for (int a = 0; a < dimensions; ++a) {
    for (int b = 0; b < dimensions; ++b) {
      for (int i = 0; i < dimensions && a != b; ++i) {
        physics::multiply_links(colors, corner.here(a), corner.next(i, b), transposed, product(a, b, i));
      }
    }
  }
  for (int a = 0; a < dimensions; ++a) {
    for (int b = 0; b < dimensions; ++b) {
      for (int i = 0; i < dimensions; ++i) {
        for (int j = i + 1; j < dimensions && a != b; ++j) {
          all.at(a, b, i, j).add(physics::real_trace_with_adjoint(colors, product(a, b, i), product(b, a, j)) / colors);
        }
      }
    }
  }
}

bool is_corner_usable(const Encoding& encoding, const Corner& corner, int dimensions) {
  for (int link = 0; link < encoding.links; ++link) {
    if (!is_usable(corner.here(link), encoding.numbers())) return false;
    for (int d = 0; d < dimensions; ++d) {
      if (!is_usable(corner.next(d, link), encoding.numbers())) return false;
    }
  }
  return true;
}

// Of the orders with digits of the same extents one is enough.
std::vector<Extents> digit_extents(const Extents& extents) {
  std::vector<std::int64_t> values(extents.begin(), extents.end());
  std::ranges::sort(values);
  std::vector<Extents> all;
  do {
    all.emplace_back(values);
  } while (std::ranges::next_permutation(values).found);
  return all;
}

bool is_natural_order(const SiteOrder& order) {
  const int n = static_cast<int>(order.size());
  SiteOrder forward(order.size()), backward(order.size()), time_last(order.size());
  std::iota(forward.begin(), forward.end(), 0);
  std::reverse_copy(forward.begin(), forward.end(), backward.begin());
  std::reverse_copy(forward.begin(), forward.end() - 1, time_last.begin());
  time_last.back() = n - 1;
  return order == forward || order == backward || order == time_last;
}

bool is_natural_links(const std::vector<int>& links) {
  const int n = static_cast<int>(links.size());
  std::vector<int> forward(links.size());
  std::iota(forward.begin(), forward.end(), 0);
  std::vector<int> time_first = forward;
  std::rotate(time_first.begin(), time_first.begin() + (n - 1), time_first.end());
  return links == forward || links == time_first;
}

// How much must be believed for it, beside what is declared.
int oddity(const Ordering& one, const Ordering& declared) {
  return 2 * ((one.is_transposed != declared.is_transposed) + (one.order != declared.order) +
              (one.links != declared.links)) +
         !is_natural_order(one.order) + !is_natural_links(one.links);
}

// The orders that are alike in all but the names of directions, least odd first.
std::vector<Ordering> orders_with(const Extents& extents, const Extents& digits, const std::vector<int>& digit_of_link,
                                  bool transposed, const Ordering& declared) {
  std::vector<Ordering> all;
  SiteOrder order(static_cast<std::size_t>(extents.size()));
  std::iota(order.begin(), order.end(), 0);
  do {
    bool fits = true;
    for (int k = 0; k < extents.size(); ++k) fits = fits && extents[order[static_cast<std::size_t>(k)]] == digits[k];
    if (!fits) continue;
    Ordering one{sequence_of(extents, order), order, {}, transposed};
    for (const int digit : digit_of_link) one.links.push_back(order[static_cast<std::size_t>(digit)]);
    all.push_back(std::move(one));
  } while (std::ranges::next_permutation(order).found);
  std::ranges::stable_sort(all, {}, [&](const Ordering& one) { return oddity(one, declared); });
  return all;
}

Average average_of(const Combinations& all, const std::vector<int>& digit_of_link) {
  const int n = static_cast<int>(digit_of_link.size());
  std::vector<int> link_of(digit_of_link.size());
  for (int link = 0; link < n; ++link) {
    link_of[static_cast<std::size_t>(digit_of_link[static_cast<std::size_t>(link)])] = link;
  }
  Average average;
  double variance = 0;
  int planes = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j, ++planes) {
      const Moments& moments = all.at(link_of[static_cast<std::size_t>(i)], link_of[static_cast<std::size_t>(j)], i, j);
      average.value += moments.mean();
      average.plaquettes += moments.count;
      variance += moments.variance();
    }
  }
  average.value /= planes;
  average.error = std::sqrt(variance) / planes;
  return average;
}

bool is_same(const Ordering& a, const Ordering& b) {
  return a.order == b.order && a.links == b.links && a.is_transposed == b.is_transposed;
}

}  // namespace

std::vector<Coord> sample_of(const Extents& extents, std::uint64_t most) {
  SiteOrder order(static_cast<std::size_t>(extents.size()));
  std::iota(order.begin(), order.end(), 0);
  const SiteMap map = sequence_of(extents, order);
  const std::uint64_t sites = volume(extents);
  std::vector<Coord> sample;
  if (sites <= most) {
    for (std::uint64_t n = 0; n < sites; ++n) sample.push_back(site_of(map, n));
    return sample;
  }
  std::mt19937_64 random(sites);
  for (std::uint64_t k = 0; k < most; ++k) sample.push_back(site_of(map, random() % sites));
  return sample;
}

Average average_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                          const std::vector<Coord>& sites) {
  const int dimensions = ordering.sites.extents.size();
  Moments moments;
  std::uint64_t zeros = 0;
  Corner corner(encoding, file);
  std::vector<int> link_of(ordering.links.size());
  for (std::size_t link = 0; link < link_of.size(); ++link) {
    link_of[static_cast<std::size_t>(ordering.links[link])] = static_cast<int>(link);
  }
  physics::with_colors(encoding.colors, [&](auto colors) {
    physics::Matrix first(colors), second(colors);
    for (const Coord& x : sites) {
      corner.move_to(ordering.sites, x);
      for (int i = 0; i < dimensions; ++i) {
        for (int j = i + 1; j < dimensions; ++j) {
          const int a = link_of[static_cast<std::size_t>(i)], b = link_of[static_cast<std::size_t>(j)];
          const double* links[] = {corner.here(a), corner.here(b), corner.next(i, b), corner.next(j, a)};
          if (!std::ranges::all_of(links, [&](const double* u) { return is_usable(u, encoding.numbers()); })) {
            zeros += std::ranges::any_of(links, [&](const double* u) { return is_zero(u, encoding.numbers()); });
            continue;
          }
          moments.add(physics::plaquette_of(colors, corner.here(a), corner.next(i, b), corner.here(b),
                                            corner.next(j, a), first.data(), second.data(), ordering.is_transposed));
        }
      }
    }
  });
  const bool is_all = sites.size() == volume(ordering.sites.extents);
  Average average{moments.mean(), is_all ? 0 : std::sqrt(moments.variance()), moments.count};
  if (zeros > 0) average.part = static_cast<double>(moments.count) / static_cast<double>(moments.count + zeros);
  return average;
}

std::vector<Ranked> rank_orderings(const Encoding& encoding, const Ordering& declared, base::ByteSource& file,
                                   const std::vector<Coord>& sites) {
  const Extents& extents = declared.sites.extents;
  const int dimensions = extents.size();
  std::vector<Ranked> ranked;
  Corner corner(encoding, file);
  for (const Extents& digits : digit_extents(extents)) {
    SiteOrder along(static_cast<std::size_t>(dimensions));
    std::iota(along.begin(), along.end(), 0);
    const SiteMap map = sequence_of(digits, along);
    std::vector<Combinations> tables(2, Combinations(dimensions));
    physics::with_colors(encoding.colors, [&](auto colors) {
      for (const Coord& x : sites) {
        // The same places of the lattice, whatever the digits are.
        Coord here = x;
        for (int d = 0; d < dimensions; ++d) here[d] %= digits[d];
        corner.move_to(map, here);
        if (!is_corner_usable(encoding, corner, dimensions)) continue;
        for (const bool transposed : {false, true}) {
          add_corner(colors, corner, dimensions, transposed, tables[transposed ? 1 : 0]);
        }
      }
    });
    std::vector<int> digit_of_link(along);
    do {
      for (const bool transposed : {false, true}) {
        std::vector<Ordering> same = orders_with(extents, digits, digit_of_link, transposed, declared);
        Ranked one{.ordering = same.front(), .plaquette = average_of(tables[transposed ? 1 : 0], digit_of_link)};
        one.is_declared = is_same(one.ordering, declared);
        // Not what would be odder still.
        const int most = oddity(one.ordering, declared) + 1;
        std::copy_if(same.begin() + 1, same.end(), std::back_inserter(one.same),
                     [&](const Ordering& other) { return oddity(other, declared) <= most; });
        ranked.push_back(std::move(one));
      }
    } while (std::ranges::next_permutation(digit_of_link).found);
  }
  std::ranges::stable_sort(ranked, std::greater<>(), [](const Ranked& one) { return one.plaquette.value; });
  const Average best = ranked.front().plaquette;
  const auto key = [&](const Ranked& one) {
    // As good as the best as far as the sample can tell.
    const bool ties = best.value - one.plaquette.value <= 1e-9 + 4 * std::hypot(best.error, one.plaquette.error);
    return std::tuple(!ties, ties ? oddity(one.ordering, declared) : 0);
  };
  std::ranges::stable_sort(ranked, {}, key);
  return ranked;
}

}  // namespace lq::diagnosis
