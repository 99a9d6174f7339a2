// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/stretches.hpp"

#include <algorithm>

namespace lq::pump {

bool Stretches::refill() {
  if (rest_.sites > 0) return true;
  if (!rows_.next(rest_.row)) return false;
  rest_.skip = 0;
  rest_.sites = rest_.row.sites;
  return true;
}

std::uint64_t Stretches::most_from(std::uint64_t site) const noexcept {
  return tile_sites_ == 0 ? max_sites_ : std::min(max_sites_, tile_sites_ - site % tile_sites_);
}

bool Stretches::next(Stretch& stretch) {
  stretch.pieces.clear();
  stretch.sites = 0;
  std::uint64_t most = max_sites_;
  while (stretch.sites < most && stretch.pieces.size() < most_pieces && refill()) {
    if (stretch.pieces.empty()) {
      stretch.file_site = rest_.file_site();
      most = most_from(stretch.file_site);
    } else if (rest_.file_site() != stretch.file_site + stretch.sites) {
      break;
    }
    Piece piece = rest_;
    piece.sites = std::min(rest_.sites, most - stretch.sites);
    stretch.pieces.push_back(piece);
    stretch.sites += piece.sites;
    rest_.skip += piece.sites;
    rest_.sites -= piece.sites;
  }
  return stretch.sites > 0;
}

}  // namespace lq::pump
