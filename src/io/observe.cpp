// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/observe.hpp"

#include <vector>

#include "comm/agree.hpp"
#include "io/local_box.hpp"
#include "io/payload_files.hpp"
#include "lattice/tiles.hpp"
#include "physics/slices.hpp"
#include "physics/u1_links.hpp"

namespace lq::io {
namespace {

// Slices first .. last - 1 of the slowest dimension, with those behind them.
void add_slices(base::ByteSource& sites, const Payload& payload, const lattice::Share& share,
                physics::SliceSums& sums) {
  const int slowest = payload.extents.size() - 1;
  const auto slices = static_cast<std::uint64_t>(payload.extents[slowest]);
  const auto slice = [&](std::uint64_t t) {
    Box box = whole(payload.extents);
    box.lower[slowest] = static_cast<std::int64_t>(t % slices);
    box.extents[slowest] = 1;
    std::vector<double> numbers = read_box(sites, payload, box);
    return physics::can_be_u1(payload.spec, payload.extents) ? physics::phases_of(numbers) : numbers;
  };
  if (share.begin == share.end) return;
  std::vector<double> here = slice(share.begin);
  for (std::uint64_t t = share.begin; t < share.end; ++t) {
    std::vector<double> behind = slice(t + 1);
    sums.add(here, behind);
    here = std::move(behind);
  }
}

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
    physics::SliceSums mine(payload.extents, is_u1 ? 1 : payload.spec.colors);
    const auto slices = static_cast<std::uint64_t>(payload.extents[payload.extents.size() - 1]);
    const PayloadFiles files(file.files(), file.catalog(), payload);
    add_slices(
        files.sequence(), payload,
        lattice::share_of(slices, static_cast<std::uint64_t>(comm.size()), static_cast<std::uint64_t>(comm.rank())),
        mine);
    return mine;
  });
  sums.reduce(comm);
  return {sums.plaquette().average, sums.link_trace()};
}

}  // namespace lq::io
