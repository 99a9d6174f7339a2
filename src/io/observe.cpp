// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/observe.hpp"

#include <utility>

#include "comm/agree.hpp"
#include "io/measured_slices.hpp"
#include "io/payload_files.hpp"
#include "lattice/tiles.hpp"
#include "physics/plaquettes.hpp"
#include "physics/slices.hpp"

namespace lq::io {

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
  const Payload& payload = entry.payload;
  if (is_stated(entry, wanted)) return {entry.plaquette, entry.link_trace};
  comm::Comm& comm = communicator.engine();
  physics::SliceSums sums = comm::agree(comm, [&] {
    const PayloadFiles files(file.files(), file.catalog(), payload);
    MeasuredSlices slices(files.sequence(), payload);
    const lattice::Share share =
        lattice::share_of(MeasuredSlices::slices(payload), static_cast<std::uint64_t>(comm.size()),
                          static_cast<std::uint64_t>(comm.rank()));
    return std::move(slices).sums(share);
  });
  sums.reduce(comm);
  return {sums.plaquette().average, sums.link_trace()};
}

}  // namespace lq::io
