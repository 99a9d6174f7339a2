// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/observe.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "comm/agree.hpp"
#include "io/local_box.hpp"
#include "io/payload_files.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"
#include "physics/slices.hpp"
#include "physics/u1_links.hpp"

namespace lq::io {
namespace {

// Slices of the dimension that is slowest in the file, one of which is in memory, in the precision of the file. That
// behind it comes a few planes at a time and takes its place.
class Slices {
 public:
  Slices(base::ByteSource& sites, const Payload& payload)
      : sites_(sites),
        payload_(payload),
        order_(lattice::resolve_order(payload.order, payload.extents.size())),
        is_u1_(physics::can_be_u1(payload.spec, payload.extents)),
        precision_(is_u1_ ? Precision::double_ : payload.spec.precision),
        sums_(payload.extents, is_u1_ ? 1 : payload.spec.colors, order_),
        plane_bytes_(sums_.plane_sites() * payload.spec.numbers * (precision_ == Precision::single ? 4 : 8)),
        planes_at_once_(std::clamp<std::size_t>(tile_bytes / plane_bytes_, 1, sums_.planes())) {}

  // Of one of several shares of all slices.
  physics::SliceSums sums(std::uint64_t shares, std::uint64_t index) && {
    add(lattice::share_of(count(), shares, index));
    return std::move(sums_);
  }

 private:
  using Memory = std::unique_ptr<std::byte[]>;

  std::uint64_t count() const { return static_cast<std::uint64_t>(payload_.extents[order_.back()]); }

  Memory memory_for(std::size_t planes) const {
    return std::make_unique_for_overwrite<std::byte[]>(planes * plane_bytes_);
  }

  void add(const lattice::Share& share) {
    if (share.begin == share.end) return;
    slice_ = memory_for(sums_.planes());
    first_ = memory_for(1);
    behind_ = memory_for(planes_at_once_);
    for_each_piece([&](std::size_t plane, std::size_t planes) {
      read(share.begin, plane, planes, slice_.get() + plane * plane_bytes_);
    });
    for (std::uint64_t t = share.begin; t < share.end; ++t) add(t);
  }

  template <class Work>
  void for_each_piece(const Work& work) const {
    for (std::size_t plane = 0; plane < sums_.planes(); plane += planes_at_once_) {
      work(plane, std::min(planes_at_once_, sums_.planes() - plane));
    }
  }

  void read(std::uint64_t slice, std::size_t plane, std::size_t planes, std::byte* memory) {
    Box box = whole(payload_.extents);
    box.lower[order_.back()] = static_cast<std::int64_t>(slice % count());
    box.extents[order_.back()] = 1;
    if (sums_.planes() > 1) {
      const int dimension = order_[order_.size() - 2];
      box.lower[dimension] = static_cast<std::int64_t>(plane);
      box.extents[dimension] = static_cast<std::int64_t>(planes);
    }
    read_box_as_stored(sites_, payload_, box, precision_, memory);
  }

  // The first plane is needed once more when it has gone.
  void add(std::uint64_t slice) {
    std::copy_n(slice_.get(), plane_bytes_, first_.get());
    for_each_piece([&](std::size_t plane, std::size_t planes) {
      read(slice + 1, plane, planes, behind_.get());
      for (const std::byte* behind = behind_.get(); planes > 0; --planes, ++plane, behind += plane_bytes_) {
        std::byte* const here = slice_.get() + plane * plane_bytes_;
        add(here, plane + 1 < sums_.planes() ? here + plane_bytes_ : first_.get(), behind);
        std::copy_n(behind, plane_bytes_, here);
      }
    });
  }

  void add(const std::byte* plane, const std::byte* next, const std::byte* behind) {
    if (!is_u1_) return sums_.add(precision_, plane, next, behind);
    const auto phases = [&](const std::byte* angles) {
      return physics::phases_of({reinterpret_cast<const double*>(angles), plane_bytes_ / sizeof(double)});
    };
    sums_.add(precision_, phases(plane).data(), phases(next).data(), phases(behind).data());
  }

  base::ByteSource& sites_;
  const Payload& payload_;
  SiteOrder order_;
  bool is_u1_;
  Precision precision_;  // in memory
  physics::SliceSums sums_;
  std::size_t plane_bytes_, planes_at_once_;
  Memory slice_, first_, behind_;
};

}  // namespace

bool can_be_measured(const FieldSpec& spec, const Extents& extents) noexcept {
  const bool has_links = spec.links == 0 || spec.links == extents.size();
  return spec.kind == FieldKind::gauge && spec.colors >= 2 && has_links && extents.size() >= 2;
}

Observed observe(ScannedFile& file, const FieldEntry& entry, const Communicator& communicator,
                 format::Observables wanted) {
  const Payload& payload = entry.payload;
  const Observed stated{entry.plaquette, entry.link_trace};
  const bool is_enough = wanted == format::Observables::in_texts ||
                         (wanted == format::Observables::stated && stated.plaquette && stated.link_trace);
  const bool is_u1 = physics::can_be_u1(payload.spec, payload.extents);
  if (is_enough || (!is_u1 && !can_be_measured(payload.spec, payload.extents))) return stated;
  comm::Comm& comm = communicator.engine();
  physics::SliceSums sums = comm::agree(comm, [&] {
    const PayloadFiles files(file.files(), file.catalog(), payload);
    return Slices(files.sequence(), payload)
        .sums(static_cast<std::uint64_t>(comm.size()), static_cast<std::uint64_t>(comm.rank()));
  });
  sums.reduce(comm);
  return {sums.plaquette().average, sums.link_trace()};
}

}  // namespace lq::io
