// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/parts.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "lattice/site_order.hpp"

namespace lq::format {

namespace {

constexpr std::uint64_t most_parts = 10'000;  // every file is open while it is written

}  // namespace

std::optional<Parts> Parts::of(const FieldRequest& request) {
  const std::string& asked = request.choices.parts;
  if (asked.empty()) return {};
  Parts parts;
  parts.extents_ = request.extents;
  parts.counts_ = parse_extents(asked);
  parts.block_ = request.extents;
  bool is_even_cut = parts.counts_.size() == request.extents.size();
  for (int d = 0; is_even_cut && d < parts.counts_.size(); ++d) {
    is_even_cut = parts.counts_[d] > 0 && request.extents[d] % parts.counts_[d] == 0;
    if (is_even_cut) parts.block_[d] = request.extents[d] / parts.counts_[d];
  }
  if (!is_even_cut || parts.count() > most_parts) {
    throw Error(Code::invalid_argument,
                fmt::format("parts {}: a lattice of {} cannot be divided into these equal parts; give the number of "
                            "equal parts of each dimension, such as {}, at most {} in all",
                            asked, to_string(request.extents), to_string(Coord::filled(request.extents.size(), 1)),
                            most_parts));
  }
  if (!request.first || (request.stored && *request.stored != whole(request.extents))) {
    throw Error(Code::unsupported,
                fmt::format("parts {}: only whole fields are spread over several files, one for a set", asked));
  }
  return parts;
}

Coord Parts::lower(std::uint64_t number, const SiteOrder& order) const {
  Coord lower = lattice::site_at(number, whole(counts_), order);
  for (int d = 0; d < lower.size(); ++d) lower[d] *= block_[d];
  return lower;
}

void Parts::place(Payload& payload, const std::vector<std::uint64_t>& offsets) const {
  payload.offset = 0;
  payload.block = block_;
  payload.tile_sites = sites();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    payload.tiles.push_back({static_cast<int>(k), offsets[k], sites() * payload.site_bytes()});
  }
}

}  // namespace lq::format
