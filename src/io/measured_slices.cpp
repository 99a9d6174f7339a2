// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/measured_slices.hpp"

#include <algorithm>

#include "io/local_box.hpp"
#include "lattice/site_order.hpp"
#include "physics/plaquettes.hpp"

namespace lq::io {

namespace {

constexpr std::size_t piece_bytes = 256 * base::kibi;  // stays in the second cache level while it is measured

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

physics::SliceSums MeasuredSlices::sums(const lattice::Share& share, engine::TransferStats& stats, Seen seen) && {
  if (share.begin == share.end) return std::move(sums_);
  const auto memory = [&] { return std::make_unique_for_overwrite<kernels::RowLine[]>(sums_.plane_lines(precision_)); };
  piece_ = std::make_unique_for_overwrite<std::byte[]>(planes_at_once_ * plane_bytes_);
  first_ = memory();
  behind_ = memory();
  for (std::size_t plane = 0; plane < sums_.planes(); ++plane) slice_.push_back(memory());
  for (std::uint64_t t = share.begin; t <= share.end; ++t) {
    for_each_piece([&](std::size_t first, std::size_t planes) {
      // Others have the slice after the last one for their own.
      const Box box = read(t, first, planes, t < share.end ? stats : unseen_);
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

Box MeasuredSlices::read(std::uint64_t slice, std::size_t plane, std::size_t planes, engine::TransferStats& stats) {
  Box box = whole(payload_.extents);
  box.lower[order_.back()] = static_cast<std::int64_t>(slice % slices(payload_));
  box.extents[order_.back()] = 1;
  if (sums_.planes() > 1) {
    const int dimension = order_[order_.size() - 2];
    box.lower[dimension] = static_cast<std::int64_t>(plane);
    box.extents[dimension] = static_cast<std::int64_t>(planes);
  }
  read_box_as_stored(sites_, payload_, box, precision_, piece_.get(), stats);
  return box;
}

// Of a plane of the piece.
void MeasuredSlices::to_rows(std::size_t plane, kernels::RowLine* rows) {
  const std::byte* const sites = piece_.get() + plane * plane_bytes_;
  if (!is_u1_) return sums_.to_rows(precision_, sites, rows);
  const auto phases = physics::phases_of({reinterpret_cast<const double*>(sites), plane_bytes_ / sizeof(double)});
  sums_.to_rows(precision_, phases.data(), rows);
}

// A plane of the slice, whose place is taken by what is after it; the first one is needed once more.
void MeasuredSlices::add(std::size_t plane) {
  const bool is_last = plane + 1 == sums_.planes();
  const Rows& next = !is_last ? slice_[plane + 1] : plane == 0 ? slice_[0] : first_;
  sums_.add(precision_, slice_[plane].get(), next.get(), behind_.get());
  slice_[plane].swap(behind_);
  if (plane == 0) first_.swap(behind_);
}

}  // namespace lq::io
