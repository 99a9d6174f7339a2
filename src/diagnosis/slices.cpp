// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "diagnosis/slices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "diagnosis/link_reader.hpp"
#include "physics/su_n.hpp"

namespace lq::diagnosis {
namespace {

constexpr std::size_t sites_at_first = 4, sites_to_be_sure = 24;
constexpr std::size_t most_searched = 8;
constexpr std::uint64_t most_shifts = 1 << 17;
// Joints with less of the usual plaquette are broken; without as much of it nothing can be told.
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

  // The slice `above` is moved up by `shift` sites. NaN where links are damaged.
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
