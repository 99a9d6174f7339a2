// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/observe.hpp"

#include <algorithm>

#include "base/float_environment.hpp"
#include "comm/agree.hpp"
#include "io/payload_files.hpp"
#include "lattice/site_order.hpp"
#include "physics/plaquettes.hpp"
#include "physics/site_sums.hpp"
#include "physics/su_n.hpp"

namespace lq::io {
namespace {

constexpr std::size_t piece_bytes = 256 * base::kibi;  // fits into the L2 cache while it is measured

Precision precision_in_memory(const Payload& payload) {
  return physics::can_be_u1(payload.spec, payload.extents) ? Precision::double_ : payload.spec.precision;
}

std::uint64_t site_bytes_in_memory(const Payload& payload) {
  return payload.spec.numbers * (precision_in_memory(payload) == Precision::single ? sizeof(float) : sizeof(double));
}

}  // namespace

std::uint64_t MeasuredSlices::slices(const Payload& payload) {
  const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
  return static_cast<std::uint64_t>(payload.extents[slowest]);
}

std::uint64_t MeasuredSlices::slice_bytes(const Payload& payload) {
  return volume(payload.extents) / slices(payload) * site_bytes_in_memory(payload);
}

MeasuredSlices::MeasuredSlices(base::ByteSource& sites, const Payload& payload)
    : sites_(sites),
      payload_(payload),
      order_(lattice::resolve_order(payload.order, payload.extents.size())),
      is_u1_(physics::can_be_u1(payload.spec, payload.extents)),
      precision_(precision_in_memory(payload)),
      sums_(payload.extents, is_u1_ ? 1 : payload.spec.colors, order_),
      plane_bytes_(sums_.plane_sites() * site_bytes_in_memory(payload)),
      planes_at_once_(std::clamp<std::size_t>(piece_bytes / plane_bytes_, 1, sums_.planes())),
      unseen_(payload, {}) {}

physics::SliceSums MeasuredSlices::sums(const lattice::Share& share) && {
  return std::move(*this).sums(share, unseen_, [](const Box&, const std::byte*) {});
}

physics::SliceSums MeasuredSlices::sums(const lattice::Share& share, engine::TransferStats& stats,
                                        BoxFunction seen) && {
  const base::DefaultFloatEnvironment as_everywhere;
  if (share.begin == share.end) return std::move(sums_);
  const auto memory = [&] { return std::make_unique_for_overwrite<kernels::RowLine[]>(sums_.plane_lines(precision_)); };
  piece_ = std::make_unique_for_overwrite<std::byte[]>(planes_at_once_ * plane_bytes_);
  first_ = memory();
  behind_ = memory();
  for (std::size_t plane = 0; plane < sums_.planes(); ++plane) slice_.push_back(memory());
  base::ReadTwice twice(sites_);
  for (std::uint64_t t = share.begin; t <= share.end; ++t) {
    for_each_piece([&](std::size_t first, std::size_t planes) {
      // The slice after the last one belongs to another share; no sum is taken of what is read of it here.
      const bool is_own = t < share.end;
      const Box box =
          read(is_own ? sites_ : static_cast<base::ByteSource&>(twice), t, first, planes, is_own ? stats : unseen_);
      if (t < share.end) seen(box, piece_.get());
      for (std::size_t k = 0; k < planes; ++k) {
        to_rows(k, t == share.begin ? slice_[first + k].get() : behind_.get());
        if (t > share.begin) add(first + k);
      }
    });
  }
  return std::move(sums_);
}

template <class Work>
void MeasuredSlices::for_each_piece(const Work& work) const {
  for (std::size_t plane = 0; plane < sums_.planes(); plane += planes_at_once_) {
    work(plane, std::min(planes_at_once_, sums_.planes() - plane));
  }
}

Box MeasuredSlices::read(base::ByteSource& sites, std::uint64_t slice, std::size_t plane, std::size_t planes,
                         engine::TransferStats& stats) {
  Box box = whole(payload_.extents);
  box.lower[order_.back()] = static_cast<std::int64_t>(slice % slices(payload_));
  box.extents[order_.back()] = 1;
  if (sums_.planes() > 1) {
    const int dimension = order_[order_.size() - 2];
    box.lower[dimension] = static_cast<std::int64_t>(plane);
    box.extents[dimension] = static_cast<std::int64_t>(planes);
  }
  read_box_as_stored(sites, payload_, box, precision_, piece_.get(), stats);
  return box;
}

// For a plane of the piece.
void MeasuredSlices::to_rows(std::size_t plane, kernels::RowLine* rows) {
  const std::byte* const sites = piece_.get() + plane * plane_bytes_;
  if (!is_u1_) return sums_.to_rows(precision_, sites, rows);
  const auto phases = physics::phases_of({reinterpret_cast<const double*>(sites), plane_bytes_ / sizeof(double)});
  sums_.to_rows(precision_, phases.data(), rows);
}

// A plane of the slice, whose place is then reused; the first one is needed once more.
void MeasuredSlices::add(std::size_t plane) {
  const bool is_last = plane + 1 == sums_.planes();
  const Rows& next = !is_last ? slice_[plane + 1] : plane == 0 ? slice_[0] : first_;
  sums_.add(precision_, slice_[plane].get(), next.get(), behind_.get());
  slice_[plane].swap(behind_);
  if (plane == 0) first_.swap(behind_);
}

bool can_be_measured(const FieldSpec& spec, const Extents& extents) noexcept {
  const bool has_links = spec.links == 0 || spec.links == extents.size();
  return spec.kind == FieldKind::gauge && spec.colors >= 2 && has_links && extents.size() >= 2;
}

bool is_stated(const FieldEntry& entry, format::Observables wanted) noexcept {
  const Payload& payload = entry.payload;
  const bool is_enough = wanted == format::Observables::in_texts ||
                         (wanted == format::Observables::stated && entry.plaquette && entry.link_trace);
  return is_enough ||
         (!physics::can_be_u1(payload.spec, payload.extents) && !can_be_measured(payload.spec, payload.extents));
}

Observed observe(ScannedFile& file, const FieldEntry& entry, const Communicator& communicator,
                 format::Observables wanted) {
  return observe(file.files(), file.catalog(), entry, communicator, wanted);
}

Observed observe(storage::Transport& place, const Catalog& catalog, const FieldEntry& entry,
                 const Communicator& communicator, format::Observables wanted) {
  const Payload& payload = entry.payload;
  if (is_stated(entry, wanted)) return {entry.plaquette, entry.link_trace};
  comm::Comm& comm = communicator.engine();
  physics::SliceSums sums = comm::agree(comm, [&] {
    const PayloadFiles files(place, catalog, payload);
    MeasuredSlices slices(files.sequence(), payload);
    const lattice::Share share =
        lattice::share_of(MeasuredSlices::slices(payload), static_cast<std::uint64_t>(comm.size()),
                          static_cast<std::uint64_t>(comm.rank()));
    return std::move(slices).sums(share);
  });
  sums.reduce(comm);
  return {sums.plaquette().average, sums.link_trace()};
}

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

  // The site of the slice with these coordinates in all other dimensions.
  const double* at(Coord x) const noexcept {
    x[last()] = all_.lower[last()];
    return numbers_.data() + lattice::site_number(x, all_, order_) * payload_->spec.numbers;
  }

 private:
  int last() const noexcept { return all_.extents.size() - 1; }

  // The lattice is periodic: sites beyond its end are read from its beginning.
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
  const base::DefaultFloatEnvironment as_everywhere;
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
