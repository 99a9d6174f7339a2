// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/record_sites.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "comm/agree.hpp"
#include "compat/qio/broadcast.hpp"
#include "compat/qio/outcome.hpp"

namespace lq::compat::qio {
namespace {

Coord coord_of(const int* numbers, int count) {
  Coord coord = Coord::filled(count, 0);
  for (int d = 0; d < count; ++d) coord[d] = numbers[d];
  return coord;
}

}  // namespace

void RecordPart::place_at(const FoundRecord& found, comm::Comm& comm, int leader) {
  std::array<std::uint64_t, 2> facts{found.payload, found.type == QIO_LIMETYPE_ILDG_BINARY_DATA ? 1U : 0U};
  broadcast_facts(comm, facts, leader);
  offset = facts[0];
  is_ildg = facts[1] != 0;
}

Hypercube hypercube_of(const DML_Layout& layout) {
  Hypercube hypercube{coord_of(layout.latsize, layout.latdim), whole(coord_of(layout.latsize, layout.latdim))};
  for (int d = 0; d < layout.latdim; ++d) {
    hypercube.box.lower[d] = layout.hyperlower[d];
    hypercube.box.extents[d] = layout.hyperupper[d] - layout.hyperlower[d] + 1;
  }
  return hypercube;
}

void set_bounds(DML_Layout& layout, const int* lowest, const int* highest, int count) {
  std::uint64_t sites = 1;
  for (int d = 0; d < layout.latdim; ++d) {
    const int lower = d < count ? lowest[d] : -1, upper = d < count ? highest[d] : -1;
    if (lower < 0 || lower > upper || upper >= layout.latsize[d]) {
      throw Refusal(QIO_ERR_BAD_SUBSET, "the bounds of the hypercube are not those of sites of the lattice");
    }
    layout.hyperlower[d] = lower;
    layout.hyperupper[d] = upper;
    sites *= static_cast<std::uint64_t>(upper - lower + 1);
  }
  layout.subsetvolume = sites;
}

void check_call(const SiteCall& call) {
  if (call.count < 1) throw Refusal(QIO_BAD_ARG, "no data per site");
  if (!is_word(call.word_bytes)) throw Refusal(QIO_BAD_ARG, fmt::format("words of {} bytes", call.word_bytes));
}

void set_record(DML_Layout& layout, const QIO_RecordInfo& info) {
  const int type = info.recordtype.value;
  if (type != QIO_FIELD && type != QIO_GLOBAL && type != QIO_HYPER) {
    throw Refusal(QIO_ERR_BAD_GLOBAL_TYPE, "the record is neither a field, nor global, nor a hypercube");
  }
  if (type == QIO_HYPER) {
    set_bounds(layout, info.hyperlower.value, info.hyperupper.value, info.spacetime.value);
  } else {
    layout.subsetvolume = layout.volume;
  }
  layout.recordtype = type;
}

RecordSites sites_of_record(comm::Comm& all, const FileNodes& family, const DML_Layout& layout, int volfmt) {
  if (layout.recordtype != QIO_HYPER) return {&family.order, family.sites, {}, family.boxes};
  const Hypercube hypercube = hypercube_of(layout);
  RecordSites sites;
  sites.of_family = layout.subsetvolume;
  comm::agree(all, [&] {
    sites.own = std::make_unique<NodeSites>(family.order.within(hypercube.lattice, hypercube.box));
    sites.order = sites.own.get();
  });
  // Each family by itself, and then all of them.
  comm::agree(all, [&] {
    if (volfmt == QIO_MULTIFILE) {
      sites.own->number_anew();
      sites.of_family = sites.own->count();
    } else if (is_in_parts(volfmt)) {
      const std::vector<std::uint64_t> ranks = ranks_of_all(*family.comm, *sites.own);
      comm::agree(*family.comm, [&] { *sites.own = sites.own->among(ranks); });
      sites.of_family = ranks.size();
    }
    sites.boxes = boxes_of(*family.comm, hypercube.lattice, *sites.order);
  });
  return sites;
}

// FNV-1a.
Agreement& Agreement::add(std::uint64_t number) noexcept {
  for (int byte = 0; byte < 8; ++byte) hash_ = (hash_ ^ (number >> (8 * byte) & 0xff)) * 0x100000001b3;
  return *this;
}

Agreement& Agreement::add(const QIO_RecordInfo& info) noexcept {
  for (const auto* number : {&info.recordtype, &info.spacetime, &info.typesize, &info.datacount}) {
    add(static_cast<std::uint64_t>(number->value));
  }
  if (info.recordtype.value != QIO_HYPER) return *this;
  const int count = std::clamp(info.spacetime.value, 0, QIO_MAXINTARRAY);
  for (int d = 0; d < count; ++d) {
    add(static_cast<std::uint64_t>(info.hyperlower.value[d])).add(static_cast<std::uint64_t>(info.hyperupper.value[d]));
  }
  return *this;
}

void Agreement::check(comm::Comm& comm) const {
  std::array<std::uint64_t, 2> ends{hash_, ~hash_};
  comm.all_reduce(ends, comm::Reduce::max);
  if (ends[0] == ~ends[1]) return;
  throw Error(Code::ranks_disagree, "qio: the nodes do not write or read the same record");
}

DML_Checksum combined(comm::Comm& comm, const Checksum& mine) {
  std::array<std::uint64_t, 2> sums{mine.suma, mine.sumb};
  comm.all_reduce(sums, comm::Reduce::bit_xor);
  return {static_cast<std::uint32_t>(sums[0]), static_cast<std::uint32_t>(sums[1])};
}

}  // namespace lq::compat::qio
