// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/parts.hpp"

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "lattice/decomposition.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::scidac {

namespace {

constexpr std::uint64_t most_parts = 10'000;  // names have four digits, and every file is open while it is written

}  // namespace

std::optional<Parts> Parts::of(const FieldRequest& request) {
  const std::string& asked = request.choices.parts;
  if (asked.empty()) return {};
  Parts parts;
  parts.extents_ = request.extents;
  parts.counts_ = parse_extents(asked);
  parts.block_ = request.extents;
  bool fits = parts.counts_.size() == request.extents.size();
  for (int d = 0; fits && d < parts.counts_.size(); ++d) {
    fits = parts.counts_[d] > 0 && request.extents[d] % parts.counts_[d] == 0;
    if (fits) parts.block_[d] = request.extents[d] / parts.counts_[d];
  }
  if (!fits || parts.count() > most_parts) {
    throw Error(
        Code::invalid_argument,
        fmt::format("parts {}: a lattice of {} cannot be cut so; give into how many equal parts each dimension is "
                    "cut, such as {}, {} at most in all",
                    asked, to_string(request.extents), to_string(Coord::filled(request.extents.size(), 1)),
                    most_parts));
  }
  if (!request.first || (request.stored && *request.stored != whole(request.extents))) {
    throw Error(Code::unsupported,
                fmt::format("parts {}: only whole fields are spread over several files, one for a set", asked));
  }
  if (volume(request.extents) > (std::uint64_t{1} << 32)) parts.width_ = 8;
  return parts;
}

std::vector<std::string> Parts::suffixes() const {
  std::vector<std::string> names;
  for (std::uint64_t k = 0; k < count(); ++k) names.push_back(fmt::format(".vol{:04}", k));
  return names;
}

Bulk Parts::list(int number, std::uint64_t offset) const {
  Coord lower = lattice::site_of_rank(static_cast<std::uint64_t>(number), counts_);
  for (int d = 0; d < lower.size(); ++d) lower[d] *= block_[d];
  const auto fill = [lower, block = block_, extents = extents_, width = width_](std::uint64_t at,
                                                                                base::MutableBytes bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += width) {
      Coord x = lattice::site_of_rank((at + i) / width, block);
      for (int d = 0; d < x.size(); ++d) x[d] += lower[d];
      const std::uint64_t rank = lattice::site_rank(x, extents);
      if (width == 4) {
        base::store_be(bytes.data() + i, static_cast<std::uint32_t>(rank));
      } else {
        base::store_be(bytes.data() + i, rank);
      }
    }
  };
  return {number, offset, list_length(), fill};
}

void Parts::place(Payload& payload, const std::vector<std::uint64_t>& offsets) const {
  payload.offset = 0;
  payload.block = block_;
  payload.tile_sites = sites();
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    payload.tiles.push_back({static_cast<int>(k), offsets[k], sites() * payload.site_bytes()});
  }
}

}  // namespace lq::format::scidac
