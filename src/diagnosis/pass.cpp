// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/pass.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/resize_interruptibly.hpp"
#include "comm/team.hpp"
#include "diagnosis/diagnose.hpp"
#include "diagnosis/site_map.hpp"
#include "kernels/crc32.hpp"
#include "kernels/digest.hpp"
#include "kernels/site_crc.hpp"
#include "physics/su_n.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::uint64_t bytes_at_once = base::mebi;

void count(Damaged& kind, std::uint64_t site, const Coord& x) {
  if (kind.sites++ == 0) kind.first = site;
  kind.last = site;
  ++kind.slices[x[x.size() - 1]];
}

void add_up(Damaged& all, const Damaged& some) {
  if (some.sites == 0) return;
  all.first = all.sites == 0 ? some.first : std::min(all.first, some.first);
  all.last = all.sites == 0 ? some.last : std::max(all.last, some.last);
  all.sites += some.sites;
  for (const auto& [t, sites] : some.slices) all.slices[t] += sites;
}

struct Sum {
  double sum = 0;
  std::uint64_t count = 0;
  void add(double x) noexcept {
    sum += x;
    ++count;
  }
};

enum class Link { sound, zero, not_finite, not_unitary };

template <class Colors>
Link kind_of(Colors colors, const double* u, double far) {
  const std::size_t numbers = physics::matrix_numbers(colors);
  if (std::all_of(u, u + numbers, [](double x) { return x == 0; })) return Link::zero;
  if (!std::all_of(u, u + numbers, [](double x) { return std::isfinite(x); })) return Link::not_finite;
  return physics::distance_from_unitarity(colors, u) > far ? Link::not_unitary : Link::sound;
}

// The results of one thread.
class Walker {
 public:
  // `of_all` receives the sums of the sites and has space for them.
  Walker(const Walk& what, const kernels::SiteCrc& crc, Pass& of_all, std::vector<Sum>& traces)
      : what_(what), crc_(crc), of_all_(of_all), traces_of_blocks_(traces) {
    if (!what.encoding) return;
    as_declared_.links = what.declared_links;
    pass_.signs.resize(static_cast<std::size_t>(what.encoding->links));
    numbers_.resize(static_cast<std::size_t>(what.encoding->links) * what.encoding->numbers());
    reordered_.resize(numbers_.size());
    bytes_.resize(static_cast<std::size_t>(what.site_bytes));
  }

  void add(base::Bytes bytes, std::uint64_t first, std::uint64_t block) {
    const auto site_bytes = static_cast<std::size_t>(what_.site_bytes);
    traces_ = {};
    const std::size_t sites = bytes.size() / site_bytes;
    crc_.of_sites(bytes.data(), sites, of_all_.crcs.data() + first);
    for (std::size_t k = 0; k < sites && what_.encoding; ++k) {
      const base::Bytes site = bytes.subspan(k * site_bytes, site_bytes);
      look_at(site, first + k);
      if (what_.declared) of_all_.crcs_as_declared[static_cast<std::size_t>(first) + k] = crc_as_declared(site);
    }
    traces_of_blocks_[static_cast<std::size_t>(block)] = traces_;
  }

  void add_up_in_all() const {
    add_up(of_all_.zeros, pass_.zeros);
    add_up(of_all_.not_finite, pass_.not_finite);
    add_up(of_all_.not_unitary, pass_.not_unitary);
    of_all_.border_zeros += pass_.border_zeros;
    for (std::size_t link = 0; link < pass_.signs.size(); ++link) {
      of_all_.signs[link].links += pass_.signs[link].links;
      of_all_.signs[link].leaving_last_slice += pass_.signs[link].leaving_last_slice;
    }
  }

 private:
  std::uint32_t crc_as_declared(base::Bytes site) {
    decode(*what_.encoding, site, numbers_);
    reorder_links(*what_.encoding, what_.ordering, as_declared_, numbers_.data(), reordered_.data());
    encode(*what_.declared, reordered_, bytes_);
    return kernels::crc32(0, bytes_);
  }

  void look_at(base::Bytes site, std::uint64_t number) {
    const Encoding& encoding = *what_.encoding;
    const Coord x = site_of(what_.ordering.sites, number);
    if (kernels::find_zero_sites(site, site.size()).count > 0) return count(pass_.zeros, number, x);
    decode(encoding, site, numbers_);
    physics::with_colors(encoding.colors, [&](auto colors) {
      Link worst = Link::sound;
      for (int link = 0; link < encoding.links; ++link) {
        const double* const u = numbers_.data() + static_cast<std::size_t>(link) * encoding.numbers();
        const int direction = what_.ordering.links[static_cast<std::size_t>(link)];
        const bool leaves = x[direction] == what_.ordering.sites.extents[direction] - 1;
        const Link kind = kind_of(colors, u, what_.largest_distance);
        if (kind != Link::not_finite) traces_.add(physics::real_trace(colors, u) / colors);
        if (kind == Link::sound) {
          count_sign(colors, u, direction, leaves);
        } else if (kind == Link::zero && leaves && direction + 1 == x.size()) {
          ++pass_.border_zeros;
        } else {
          worst = std::max(worst, kind == Link::zero ? Link::not_unitary : kind);
        }
      }
      if (worst == Link::not_finite) count(pass_.not_finite, number, x);
      if (worst == Link::not_unitary) count(pass_.not_unitary, number, x);
    });
  }

  template <class Colors>
  void count_sign(Colors colors, const double* u, int direction, bool leaves) {
    if (colors % 2 == 0) return;  // -U is also in SU(N)
    physics::Matrix<Colors> copy(colors);
    std::copy_n(u, physics::matrix_numbers(colors), copy.data());
    if (physics::determinant_in_place(colors, copy.data()).real() > 0) return;
    Signs& signs = pass_.signs[static_cast<std::size_t>(direction)];
    ++signs.links;
    signs.leaving_last_slice += leaves ? 1 : 0;
  }

  const Walk& what_;
  const kernels::SiteCrc& crc_;
  Pass& of_all_;
  std::vector<Sum>& traces_of_blocks_;
  Pass pass_;
  Sum traces_;  // of the block
  Ordering as_declared_;
  std::vector<double> numbers_, reordered_;
  std::vector<std::byte> bytes_;
};

}  // namespace

Pass walk(const Walk& what, base::ByteSource& file, comm::Team& team, const Progress& progress) {
  const std::uint64_t at_once = std::max<std::uint64_t>(1, bytes_at_once / what.site_bytes);
  const kernels::SiteCrc crc(what.site_bytes);
  Pass pass;
  base::resize_interruptibly(pass.crcs, static_cast<std::size_t>(what.sites));
  if (what.encoding && what.declared) base::resize_interruptibly(pass.crcs_as_declared, pass.crcs.size());
  if (what.encoding) pass.signs.resize(static_cast<std::size_t>(what.encoding->links));
  const std::uint64_t count = what.sites / at_once + (what.sites % at_once > 0 ? 1 : 0);
  std::vector<Sum> traces(static_cast<std::size_t>(count));
  std::vector<Walker> walkers(static_cast<std::size_t>(team.size()), Walker(what, crc, pass, traces));
  std::vector<std::vector<std::byte>> blocks(walkers.size());
  std::atomic<std::uint64_t> done{0};
  comm::parallel_for(team, count, [&](int thread, std::uint64_t i) {
    const std::uint64_t site = i * at_once, sites = std::min(at_once, what.sites - site);
    std::vector<std::byte>& block = blocks[static_cast<std::size_t>(thread)];
    block.resize(static_cast<std::size_t>(sites * what.site_bytes));
    if (file.read_at(what.offset + site * what.site_bytes, block) < block.size()) {
      throw Error(Code::io, fmt::format("{}: became shorter while being read; try again", file.path()),
                  {.path = file.path()});
    }
    walkers[static_cast<std::size_t>(thread)].add(block, site, i);
    const std::uint64_t so_far = done.fetch_add(sites, std::memory_order_relaxed) + sites;
    if (progress && thread == 0) progress(so_far, what.sites);
  });
  for (const Walker& walker : walkers) walker.add_up_in_all();
  Sum trace;
  for (const Sum& one : traces) {
    trace.sum += one.sum;
    trace.count += one.count;
  }
  if (trace.count > 0) pass.link_trace = trace.sum / static_cast<double>(trace.count);
  return pass;
}

namespace {

constexpr std::size_t sites_at_first = 4, sites_to_be_sure = 24;
constexpr std::size_t most_searched = 8;
constexpr std::uint64_t most_shifts = 1 << 17;
// Joints with a smaller share of the usual plaquette are broken; if that is too small, nothing can be decided.
constexpr double least_share = 0.5, least_plaquette = 0.05;

// Plaquettes between two slices of a file, at some sites of the first one.
class Joint {
 public:
  Joint(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file)
      : encoding_(encoding),
        ordering_(ordering),
        reader_(encoding, file),
        last_(ordering.sites.extents.size() - 1),
        slice_sites_(volume(ordering.sites.extents) / static_cast<std::uint64_t>(ordering.sites.extents[last_])),
        link_of_(ordering.links.size()) {
    for (std::size_t link = 0; link < link_of_.size(); ++link) {
      link_of_[static_cast<std::size_t>(ordering.links[link])] = link;
    }
    std::mt19937_64 random(slice_sites_);
    for (std::size_t k = 0; k < sites_to_be_sure; ++k) places_.push_back(random() % slice_sites_);
    for (auto* site : {&here_, &beside_, &above_}) site->resize(reader_.site_numbers());
  }

  std::uint64_t slice_sites() const noexcept { return slice_sites_; }
  std::int64_t slices() const noexcept { return ordering_.sites.extents[last_]; }

  // The slice `above` is shifted up by `shift` sites. NaN if links are damaged.
  double plaquette(std::int64_t below, std::int64_t above, std::uint64_t shift, std::size_t sites) {
    double sum = 0;
    std::size_t count = 0;
    physics::with_colors(encoding_.colors, [&](auto colors) {
      for (std::size_t k = 0; k < sites; ++k) {
        const std::uint64_t base = static_cast<std::uint64_t>(below) * slice_sites_;
        reader_.read(base + places_[k], here_);
        reader_.read(static_cast<std::uint64_t>(above) * slice_sites_ + (places_[k] + shift) % slice_sites_, above_);
        const Coord x = site_of(ordering_.sites, base + places_[k]);
        for (int d = 0; d < last_; ++d) {
          Coord beside = x;
          beside[d] = (x[d] + 1) % ordering_.sites.extents[d];
          reader_.read(number_of(ordering_.sites, beside), beside_);
          if (!is_usable(here_) || !is_usable(above_) || !is_usable(beside_)) continue;
          sum += one(colors, d);
          ++count;
        }
      }
    });
    return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
  }

 private:
  static bool is_usable(const std::vector<double>& site) {
    return std::ranges::all_of(site, [](double x) { return std::isfinite(x); }) &&
           std::ranges::any_of(site, [](double x) { return x != 0; });
  }
  template <class Colors>
  double one(Colors colors, int d) {
    physics::Matrix<Colors> first(colors), second(colors);
    return physics::plaquette_of(colors, link(here_, d), link(beside_, last_), link(here_, last_), link(above_, d),
                                 first.data(), second.data(), ordering_.is_transposed);
  }
  const double* link(const std::vector<double>& site, int direction) const noexcept {
    return site.data() + link_of_[static_cast<std::size_t>(direction)] * encoding_.numbers();
  }

  Encoding encoding_;
  Ordering ordering_;
  LinkReader reader_;
  int last_;
  std::uint64_t slice_sites_;
  std::vector<std::size_t> link_of_;
  std::vector<std::uint64_t> places_;  // within a slice
  std::vector<double> here_, beside_, above_;
};

void find_successor(Joint& joint, double usual, BrokenJoint& broken) {
  const auto is_joined = [&](std::int64_t above, std::uint64_t shift) {
    return joint.plaquette(broken.slice, above, shift, sites_at_first) > least_share * usual &&
           joint.plaquette(broken.slice, above, shift, sites_to_be_sure) > least_share * usual;
  };
  const std::int64_t next = (broken.slice + 1) % joint.slices();
  for (std::int64_t above = 0; above < joint.slices(); ++above) {
    if (above == next || !is_joined(above, 0)) continue;
    broken.successor = above;
    return;
  }
  for (std::uint64_t shift = 1; shift < std::min(joint.slice_sites(), most_shifts); ++shift) {
    if (!is_joined(next, shift)) continue;
    broken.shift = shift;
    return;
  }
}

}  // namespace

Joints examine_joints(const Encoding& encoding, const Ordering& ordering, base::ByteSource& file) {
  Joint joint(encoding, ordering, file);
  std::vector<double> plaquettes, sorted;
  for (std::int64_t t = 0; t < joint.slices(); ++t) {
    plaquettes.push_back(joint.plaquette(t, (t + 1) % joint.slices(), 0, sites_to_be_sure));
    if (std::isfinite(plaquettes.back())) sorted.push_back(plaquettes.back());
  }
  Joints joints;
  if (sorted.empty()) return joints;
  std::ranges::sort(sorted);
  joints.usual = sorted[sorted.size() / 2];
  if (joints.usual < least_plaquette) return joints;
  for (std::int64_t t = 0; t < joint.slices(); ++t) {
    const double plaquette = plaquettes[static_cast<std::size_t>(t)];
    if (!(plaquette < least_share * joints.usual)) continue;
    joints.broken.push_back({.slice = t, .plaquette = plaquette});
  }
  for (BrokenJoint& broken : joints.broken) {
    if (joints.broken.size() <= most_searched) find_successor(joint, joints.usual, broken);
  }
  return joints;
}

}  // namespace lq::diagnosis
