// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/part_plaquettes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/local_box.hpp"
#include "lattice/site_order.hpp"
#include "physics/site_sums.hpp"
#include "physics/su_n.hpp"

namespace lq::io {
namespace {

// A slice of the box in the last dimension, and the upper neighbours of its sites in the others.
class HaloSlice {
 public:
  HaloSlice(base::ByteSource& sites, const Payload& payload, const Box& box)
      : sites_(&sites), payload_(&payload), all_(box), order_(lattice::resolve_order({}, box.extents.size())) {
    for (int d = 0; d + 1 < all_.extents.size(); ++d) ++all_.extents[d];
    all_.extents[last()] = 1;
    numbers_.resize(static_cast<std::size_t>(all_.volume() * payload.spec.numbers));
  }

  void read(std::int64_t t) {
    all_.lower[last()] = t;
    read_from(all_, 0);
  }

  // The site of the slice that stands there in all other dimensions.
  const double* at(Coord x) const noexcept {
    x[last()] = all_.lower[last()];
    return numbers_.data() + lattice::site_number(x, all_, order_) * payload_->spec.numbers;
  }

 private:
  int last() const noexcept { return all_.extents.size() - 1; }

  // The lattice is periodic: what lies beyond its end is read from its beginning.
  void read_from(const Box& box, int d) {
    if (d == box.extents.size()) return take(box);
    const std::int64_t extent = payload_->extents[d], begin = box.lower[d], end = begin + box.extents[d];
    const std::int64_t inside = std::clamp<std::int64_t>(extent - begin, 0, box.extents[d]);
    Box part = box;
    part.extents[d] = inside;
    if (inside > 0) read_from(part, d + 1);
    part.lower[d] = begin + inside;
    part.extents[d] = end - part.lower[d];
    if (part.extents[d] > 0) read_from(part, d + 1);
  }

  void take(const Box& box) {
    Box inside = box;
    for (int d = 0; d < inside.lower.size(); ++d) inside.lower[d] %= payload_->extents[d];
    const std::vector<double> numbers = read_box(*sites_, *payload_, inside);
    const auto site_numbers = static_cast<std::size_t>(payload_->spec.numbers);
    const double* from = numbers.data();
    Coord x = box.lower;
    do {
      std::copy_n(from, site_numbers, numbers_.data() + lattice::site_number(x, all_, order_) * site_numbers);
      from += site_numbers;
    } while (lattice::advance(x, box, order_));
  }

  base::ByteSource* sites_;
  const Payload* payload_;
  Box all_;
  SiteOrder order_;
  std::vector<double> numbers_;
};

template <class Colors>
void add_plaquettes_at(Colors colors, const Coord& x, const HaloSlice& slice, const HaloSlice& behind,
                       physics::LatticeSum& sum) {
  const int last = x.size() - 1;
  const std::size_t matrix = physics::matrix_numbers(colors);
  physics::Matrix first(colors), second(colors);
  const auto above = [&](int mu) {
    if (mu == last) return behind.at(x);
    Coord next = x;
    ++next[mu];
    return slice.at(next);
  };
  const auto link = [&](const double* site, int mu) { return site + static_cast<std::size_t>(mu) * matrix; };
  for (int nu = 1; nu <= last; ++nu) {
    for (int mu = 0; mu < nu; ++mu) {
      sum.add(physics::plaquette_of(colors, link(slice.at(x), mu), link(above(mu), nu), link(slice.at(x), nu),
                                    link(above(nu), mu), first.data(), second.data()));
    }
  }
}

}  // namespace

double plaquette_sum(base::ByteSource& sites, const Payload& payload, const Box& box) {
  const int last = box.extents.size() - 1;
  const SiteOrder order = lattice::resolve_order({}, box.extents.size());
  HaloSlice slice(sites, payload, box), behind = slice;
  physics::LatticeSum sum;
  slice.read(box.lower[last]);
  for (std::int64_t t = box.lower[last]; t < box.lower[last] + box.extents[last]; ++t) {
    behind.read(t + 1);
    Box now = box;
    now.lower[last] = t;
    now.extents[last] = 1;
    physics::with_colors(payload.spec.colors, [&](auto colors) {
      Coord x = now.lower;
      do {
        add_plaquettes_at(colors, x, slice, behind, sum);
      } while (lattice::advance(x, now, order));
    });
    std::swap(slice, behind);
  }
  return sum.value();
}

}  // namespace lq::io
