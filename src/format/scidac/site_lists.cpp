// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/site_lists.hpp"

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::scidac {
namespace {

// Bytes of an entry.
std::uint64_t entry_width(const Parts& parts) noexcept {
  return volume(parts.extents()) > (std::uint64_t{1} << 32) ? 8 : 4;
}

}  // namespace

std::vector<std::string> volume_suffixes(const Parts& parts) {
  std::vector<std::string> names;
  for (std::uint64_t k = 0; k < parts.count(); ++k) names.push_back(fmt::format(".vol{:04}", k));
  return names;
}

std::uint64_t list_length(const Parts& parts) noexcept { return parts.sites() * entry_width(parts); }

Bulk site_list(const Parts& parts, int number, std::uint64_t offset) {
  const Coord lower =
      parts.lower(static_cast<std::uint64_t>(number), lattice::resolve_order({}, parts.extents().size()));
  const auto fill = [lower, block = parts.block(), extents = parts.extents(), width = entry_width(parts)](
                        std::uint64_t at, base::MutableBytes bytes) {
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
  return {number, offset, list_length(parts), fill};
}

}  // namespace lq::format::scidac
