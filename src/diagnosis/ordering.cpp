// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A sequence of sites is defined by the extents of its digits, and a plaquette by two links of a site and two of its
// digits. There are few such combinations; the plaquette of each order of the links is a sum of their averages.
#include "diagnosis/ordering.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <tuple>

#include "comm/team.hpp"
#include "diagnosis/site_map.hpp"
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

// One of the orders whose digits have the same extents is enough.
std::vector<Extents> digit_extents(const Extents& extents) {
  std::vector<std::int64_t> values(extents.begin(), extents.end());
  std::ranges::sort(values);
  std::vector<Extents> all;
  do {
    all.emplace_back(values);
  } while (std::ranges::next_permutation(values).found);
  return all;
}

constexpr int unusual_links = 4;

// How unusual an order of sites is among programs.
int oddity_of_sites(const SiteOrder& order) {
  SiteOrder forward(order.size()), backward(order.size()), time_last(order.size());
  std::iota(forward.begin(), forward.end(), 0);
  std::reverse_copy(forward.begin(), forward.end(), backward.begin());
  std::reverse_copy(forward.begin(), forward.end() - 1, time_last.begin());
  time_last.back() = static_cast<int>(order.size()) - 1;
  return order == forward ? 0 : order == backward || order == time_last ? 1 : 3;
}

int oddity_of_links(const std::vector<int>& links) {
  std::vector<int> forward(links.size());
  std::iota(forward.begin(), forward.end(), 0);
  std::vector<int> time_first = forward;
  std::rotate(time_first.begin(), time_first.end() - 1, time_first.end());
  return links == forward ? 0 : links == time_first ? 1 : unusual_links;
}

// Lattices usually have equal extents in space.
int oddity_of_lattice(const Extents& extents) {
  std::vector<std::int64_t> sorted(extents.begin(), extents.end());
  const bool is_as_usual = std::equal(sorted.begin() + 1, sorted.end() - 1, sorted.begin());
  std::ranges::sort(sorted);
  const bool may_be_usual = std::equal(sorted.begin() + 1, sorted.end() - 1, sorted.begin()) ||
                            std::equal(sorted.begin() + 2, sorted.end(), sorted.begin() + 1);
  return may_be_usual && !is_as_usual ? 3 : 0;
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
  average.error = average.noise = std::sqrt(variance) / planes;
  return average;
}

// Averages of all combinations for one order of the digits.
struct Table {
  std::size_t sequence;
  SiteMap map;  // of the digits
  std::vector<Combinations> plain_and_transposed;
  std::uint64_t measured = 0;  // sites
  double best = 0, best_error = 1;
};

void measure(Table& table, const Sequence& from, const std::vector<Coord>& sites) {
  const int dimensions = table.map.extents.size();
  Corner corner(from.encoding, *from.file);
  physics::with_colors(from.encoding.colors, [&](auto colors) {
    for (std::uint64_t k = table.measured; k < sites.size(); ++k) {
      corner.move_to(table.map, sites[static_cast<std::size_t>(k)]);
      if (!is_corner_usable(from.encoding, corner, dimensions)) continue;
      for (const bool transposed : {false, true}) {
        add_corner(colors, corner, dimensions, transposed, table.plain_and_transposed[transposed ? 1 : 0]);
      }
    }
  });
  table.measured = sites.size();
}

// work(digit of each link, whether transposed, average) for all orders of the links.
template <class Work>
void for_each_order(const Table& table, Work&& work) {
  std::vector<int> digit_of_link(static_cast<std::size_t>(table.map.extents.size()));
  std::iota(digit_of_link.begin(), digit_of_link.end(), 0);
  do {
    for (const bool transposed : {false, true}) {
      work(digit_of_link, transposed, average_of(table.plain_and_transposed[transposed ? 1 : 0], digit_of_link));
    }
  } while (std::ranges::next_permutation(digit_of_link).found);
}

void find_best(Table& table) {
  table.best = -1;
  for_each_order(table, [&](const std::vector<int>&, bool, const Average& average) {
    if (average.value <= table.best) return;
    table.best = average.value;
    table.best_error = average.error;
  });
}

std::vector<Table> tables_for(const std::vector<Sequence>& sequences, const Extents& extents) {
  SiteOrder along(static_cast<std::size_t>(extents.size()));
  std::iota(along.begin(), along.end(), 0);
  std::vector<Table> tables;
  for (std::size_t k = 0; k < sequences.size(); ++k) {
    for (const Parity parity : {Parity::none, Parity::even_first, Parity::odd_first}) {
      if (parity != Parity::none && volume(extents) % 2 == 1) continue;
      for (const Extents& digits : digit_extents(extents)) {
        tables.push_back(
            {k, sequence_of(digits, along, parity), std::vector<Combinations>(2, Combinations(extents.size()))});
      }
    }
  }
  return tables;
}

// Plaquettes of some of the sites.
struct Plaquettes {
  Moments moments;
  std::uint64_t zeros = 0;
};

class PlaquetteMeter {
 public:
  PlaquetteMeter(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file)
      : ordering_(ordering), numbers_(encoding.numbers()), corner_(encoding, file), link_of_(ordering.links.size()) {
    for (std::size_t link = 0; link < link_of_.size(); ++link) {
      link_of_[static_cast<std::size_t>(ordering.links[link])] = static_cast<int>(link);
    }
  }

  template <class Colors>
  void add(Colors colors, const Coord& x, Plaquettes& all) {
    const int dimensions = x.size();
    physics::Matrix<Colors> first(colors), second(colors);
    corner_.move_to(ordering_.sites, x);
    for (int i = 0; i < dimensions; ++i) {
      for (int j = i + 1; j < dimensions; ++j) {
        const int a = link_of_[static_cast<std::size_t>(i)], b = link_of_[static_cast<std::size_t>(j)];
        const double* links[] = {corner_.here(a), corner_.here(b), corner_.next(i, b), corner_.next(j, a)};
        if (!std::ranges::all_of(links, [&](const double* u) { return is_usable(u, numbers_); })) {
          all.zeros += std::ranges::any_of(links, [&](const double* u) { return is_zero(u, numbers_); });
          continue;
        }
        all.moments.add(physics::plaquette_of(colors, corner_.here(a), corner_.next(i, b), corner_.here(b),
                                              corner_.next(j, a), first.data(), second.data(),
                                              ordering_.is_transposed));
      }
    }
  }

 private:
  const Ordering& ordering_;
  std::size_t numbers_;
  Corner corner_;
  std::vector<int> link_of_;
};

constexpr double standard_errors = 6;
// Plaquettes are averaged over sections of this many sites.
constexpr std::uint64_t shortest_stretch = 32, most_stretches = 1 << 16;
// If links are correct, averages over this many sites fluctuate less.
constexpr double least_share_of_usual = 0.75;

// `usual`: average of sections without faults; `all` gives the spread of single plaquettes.
bool is_low(const Moments& some, double usual, const Moments& all) {
  if (some.count < 2) return false;
  const double spread = std::sqrt(all.variance() * static_cast<double>(all.count) / static_cast<double>(some.count));
  return some.mean() < least_share_of_usual * usual && some.mean() + standard_errors * spread < usual;
}

// The average of the sections with larger plaquettes, which are correct even if links of many were exchanged.
double usual_plaquette(const std::vector<Plaquettes>& stretches) {
  std::vector<double> means;
  for (const Plaquettes& stretch : stretches) {
    if (stretch.moments.count > 0) means.push_back(stretch.moments.mean());
  }
  if (means.empty()) return 0;
  const auto upper = means.begin() + static_cast<std::ptrdiff_t>(means.size() - 1 - means.size() / 10);
  std::ranges::nth_element(means, upper);
  return *upper;
}

Average average_of(const Plaquettes& all, bool is_all) {
  const double noise = std::sqrt(all.moments.variance());
  Average average{all.moments.mean(), is_all ? 0 : noise, noise, all.moments.count};
  if (all.zeros > 0) {
    average.part = static_cast<double>(all.moments.count) / static_cast<double>(all.moments.count + all.zeros);
  }
  return average;
}

// Stated plaquettes have at least six printed digits, and were computed in any precision.
constexpr double plaquette_tolerance = 1e-5;

// Most programs divide by the number of all plaquettes, including zeros at open boundaries.
bool is_within(const Average& average, double factor, double stated) {
  const double tolerance = std::abs(factor) * (plaquette_tolerance + standard_errors * average.error);
  const auto is_near = [&](double value) { return std::abs(stated - factor * value) <= tolerance; };
  return is_near(average.value) || is_near(average.value * average.part);
}

}  // namespace

double factor_of(const Average& average, double stated) {
  constexpr double factors[] = {1, 3, 2, 6, 1.0 / 3, 1.0 / 2};
  const auto fits = [&](double factor) { return is_within(average, factor, stated); };
  const auto found = std::ranges::find_if(factors, fits);
  return found == std::end(factors) ? 0 : *found;
}

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
  PlaquetteMeter meter(encoding, ordering, file);
  Plaquettes all;
  physics::with_colors(encoding.colors, [&](auto colors) {
    for (const Coord& x : sites) meter.add(colors, x, all);
  });
  return average_of(all, sites.size() == volume(ordering.sites.extents));
}

WholePlaquette whole_plaquette(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file,
                               comm::Team& team) {
  const std::uint64_t sites = volume(ordering.sites.extents);
  const std::uint64_t at_once = std::max(shortest_stretch, sites / most_stretches);
  std::vector<Plaquettes> stretches(static_cast<std::size_t>((sites + at_once - 1) / at_once));
  std::vector<PlaquetteMeter> meters(static_cast<std::size_t>(team.size()), PlaquetteMeter(encoding, ordering, file));
  comm::parallel_for(team, stretches.size(), [&](int thread, std::uint64_t stretch) {
    physics::with_colors(encoding.colors, [&](auto colors) {
      for (std::uint64_t site = stretch * at_once; site < std::min(sites, (stretch + 1) * at_once); ++site) {
        meters[static_cast<std::size_t>(thread)].add(colors, site_of(ordering.sites, site),
                                                     stretches[static_cast<std::size_t>(stretch)]);
      }
    });
  });
  Plaquettes all;
  for (const Plaquettes& stretch : stretches) {
    all.moments.sum += stretch.moments.sum;
    all.moments.squares += stretch.moments.squares;
    all.moments.count += stretch.moments.count;
    all.zeros += stretch.zeros;
  }
  WholePlaquette whole{.average = average_of(all, true), .low = {}};
  const double usual = usual_plaquette(stretches);
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    if (!is_low(stretches[k].moments, usual, all.moments)) continue;
    const std::uint64_t first = k * at_once, end = std::min(sites, first + at_once);
    const double plaquette = stretches[k].moments.mean();
    whole.low.plaquette = whole.low.sites == 0 ? plaquette : std::min(whole.low.plaquette, plaquette);
    if (whole.low.sites == 0) whole.low.first = first;
    whole.low.sites += end - first;
    whole.low.last = end - 1;
  }
  return whole;
}

std::vector<Ranked> rank_orderings(const std::vector<Sequence>& sequences, const Extents& extents, std::uint64_t most) {
  constexpr std::uint64_t few = 32;
  std::vector<Table> tables = tables_for(sequences, extents);
  double best = -1, error = 1;
  for (Table& table : tables) {
    measure(table, sequences[table.sequence], sample_of(table.map.extents, few));
    find_best(table);
    if (table.best <= best) continue;
    best = table.best;
    error = table.best_error;
  }
  std::vector<Ranked> ranked;
  for (Table& table : tables) {
    // The others are far below already.
    if (table.best + standard_errors * std::hypot(table.best_error, error) >= best && most > few) {
      table.plain_and_transposed.assign(2, Combinations(extents.size()));
      table.measured = 0;
      measure(table, sequences[table.sequence], sample_of(table.map.extents, most));
    }
    for_each_order(table, [&](const std::vector<int>& digit_of_link, bool transposed, const Average& average) {
      ranked.push_back({.sequence = table.sequence,
                        .digits = table.map.extents,
                        .parity = table.map.parity,
                        .digit_of_link = digit_of_link,
                        .is_transposed = transposed,
                        .plaquette = average});
    });
  }
  std::ranges::stable_sort(ranked, std::greater<>(), [](const Ranked& one) { return one.plaquette.value; });
  return ranked;
}

std::vector<Naming> namings_of(const Ranked& ranked, const Extents& extents, const Ordering* declared) {
  const auto dimensions = static_cast<std::size_t>(extents.size());
  std::vector<Naming> all;
  SiteOrder order(dimensions);
  std::iota(order.begin(), order.end(), 0);
  do {
    Extents lattice = extents;
    for (std::size_t k = 0; k < dimensions; ++k) lattice[order[k]] = ranked.digits[static_cast<int>(k)];
    Naming one{.ordering = {sequence_of(lattice, order, ranked.parity), order, {}, ranked.is_transposed}};
    one.is_told = lattice == extents;
    if (declared != nullptr && !one.is_told) continue;
    for (const int digit : ranked.digit_of_link) one.ordering.links.push_back(order[static_cast<std::size_t>(digit)]);
    one.oddity =
        oddity_of_sites(order) + oddity_of_links(one.ordering.links) + (one.is_told ? 0 : oddity_of_lattice(lattice));
    if (declared != nullptr) {
      const bool is_order = order == declared->order && ranked.parity == declared->sites.parity;
      const bool is_links = one.ordering.links == declared->links;
      one.oddity = is_order && is_links ? 0
                   : is_order           ? 1 + oddity_of_links(one.ordering.links)
                   : is_links           ? 1 + oddity_of_sites(order)
                                        : 2 + one.oddity;
    }
    all.push_back(std::move(one));
  } while (std::ranges::next_permutation(order).found);
  std::ranges::stable_sort(all, {}, [](const Naming& one) { return std::tuple(one.oddity, !one.is_told); });
  return all;
}

bool are_same(const Ordering& a, const Ordering& b) {
  if (a.links != b.links || a.is_transposed != b.is_transposed || a.sites.extents != b.sites.extents) return false;
  return std::ranges::all_of(sample_of(a.sites.extents, 4096),
                             [&](const Coord& x) { return number_of(a.sites, x) == number_of(b.sites, x); });
}

}  // namespace lq::diagnosis
