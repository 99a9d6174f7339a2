// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/measured_slices.hpp"

#include <algorithm>

#include "io/local_box.hpp"
#include "lattice/site_order.hpp"
#include "physics/u1_links.hpp"

namespace lq::io {

namespace {

Precision precision_in_memory(const Payload& payload) {
  return physics::can_be_u1(payload.spec, payload.extents) ? Precision::double_ : payload.spec.precision;
}

std::uint64_t site_bytes_in_memory(const Payload& payload) {
  return payload.spec.numbers * (precision_in_memory(payload) == Precision::single ? sizeof(float) : sizeof(double));
}

}  // namespace

std::uint64_t MeasuredSlices::slice_bytes(const Payload& payload) {
  const int slowest = lattice::resolve_order(payload.order, payload.extents.size()).back();
  return volume(payload.extents) / static_cast<std::uint64_t>(payload.extents[slowest]) * site_bytes_in_memory(payload);
}

MeasuredSlices::MeasuredSlices(base::ByteSource& sites, const Payload& payload)
    : sites_(sites),
      payload_(payload),
      order_(lattice::resolve_order(payload.order, payload.extents.size())),
      is_u1_(physics::can_be_u1(payload.spec, payload.extents)),
      precision_(precision_in_memory(payload)),
      sums_(payload.extents, is_u1_ ? 1 : payload.spec.colors, order_),
      plane_bytes_(sums_.plane_sites() * site_bytes_in_memory(payload)),
      planes_at_once_(std::clamp<std::size_t>(tile_bytes / plane_bytes_, 1, sums_.planes())),
      unseen_(payload, {}) {}

physics::SliceSums MeasuredSlices::sums(const lattice::Share& share) && {
  return std::move(*this).sums(share, unseen_, [](const Box&, const std::byte*) {});
}

physics::SliceSums MeasuredSlices::sums(const lattice::Share& share, pump::Tally& tally, Seen seen) && {
  if (share.begin == share.end) return std::move(sums_);
  first_ = memory_for(1);
  behind_ = memory_for(planes_at_once_);
  for_each_piece([&](std::size_t plane, std::size_t planes) {
    std::byte* const memory = slice_.emplace_back(memory_for(planes_at_once_)).get();
    seen(read(share.begin, plane, planes, memory, tally), memory);
  });
  for (std::uint64_t t = share.begin; t + 1 < share.end; ++t) add(t, tally, seen);
  // Others have the slice behind the last one for their own.
  add(share.end - 1, unseen_, [](const Box&, const std::byte*) {});
  return std::move(sums_);
}

template <class Work>
void MeasuredSlices::for_each_piece(const Work& work) const {
  for (std::size_t plane = 0; plane < sums_.planes(); plane += planes_at_once_) {
    work(plane, std::min(planes_at_once_, sums_.planes() - plane));
  }
}

Box MeasuredSlices::read(std::uint64_t slice, std::size_t plane, std::size_t planes, std::byte* memory,
                         pump::Tally& tally) {
  Box box = whole(payload_.extents);
  box.lower[order_.back()] = static_cast<std::int64_t>(slice % slices());
  box.extents[order_.back()] = 1;
  if (sums_.planes() > 1) {
    const int dimension = order_[order_.size() - 2];
    box.lower[dimension] = static_cast<std::int64_t>(plane);
    box.extents[dimension] = static_cast<std::int64_t>(planes);
  }
  read_box_as_stored(sites_, payload_, box, precision_, memory, tally);
  return box;
}

const std::byte* MeasuredSlices::plane_at(std::size_t plane) const noexcept {
  return slice_[plane / planes_at_once_].get() + plane % planes_at_once_ * plane_bytes_;
}

// The first plane is needed once more when it has gone.
void MeasuredSlices::add(std::uint64_t slice, pump::Tally& tally, Seen seen) {
  std::copy_n(plane_at(0), plane_bytes_, first_.get());
  for_each_piece([&](std::size_t plane, std::size_t planes) {
    seen(read(slice + 1, plane, planes, behind_.get(), tally), behind_.get());
    for (std::size_t k = 0; k < planes; ++k) {
      const bool is_last = plane + k + 1 == sums_.planes();
      add(plane_at(plane + k), is_last ? first_.get() : plane_at(plane + k + 1), behind_.get() + k * plane_bytes_);
    }
    std::swap(slice_[plane / planes_at_once_], behind_);
  });
}

void MeasuredSlices::add(const std::byte* plane, const std::byte* next, const std::byte* behind) {
  if (!is_u1_) return sums_.add(precision_, plane, next, behind);
  const auto phases = [&](const std::byte* angles) {
    return physics::phases_of({reinterpret_cast<const double*>(angles), plane_bytes_ / sizeof(double)});
  };
  sums_.add(precision_, phases(plane).data(), phases(next).data(), phases(behind).data());
}

}  // namespace lq::io
