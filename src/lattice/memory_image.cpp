// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/memory_image.hpp"

#include <algorithm>
#include <utility>

#include "kernels/pack.hpp"

namespace lq::lattice {
namespace {

constexpr std::size_t least_copy = 512;  // on average; of shorter ones few lines are written whole

std::size_t pieces_of(const Bundle& bundle, std::size_t lanes) noexcept { return lanes > 1 ? 1 : bundle.pieces.size(); }

// The bytes of each piece, where all of them are as long, or 0. A vector is one piece.
std::size_t piece_bytes_of(const Bundle& bundle, std::size_t lanes) noexcept {
  if (lanes > 1) {
    const std::size_t vector = lanes * bundle.bytes_each;
    return bundle.step == static_cast<std::ptrdiff_t>(vector) ? bundle.stripes.size() * vector : 0;
  }
  const std::size_t bytes = bundle.pieces.front().bytes;
  return std::ranges::all_of(bundle.pieces, [&](const Piece& piece) { return piece.bytes == bytes; }) ? bytes : 0;
}

}  // namespace

std::unique_ptr<MemoryImage> MemoryImage::find(std::span<const Bundle> bundles, std::size_t lanes,
                                               std::size_t number_bytes, std::size_t most) {
  const std::size_t bytes = piece_bytes_of(bundles.front(), lanes);
  const bool are_alike = std::ranges::all_of(
      bundles, [&](const Bundle& bundle) { return bundle.group == 0 && piece_bytes_of(bundle, lanes) == bytes; });
  if (kernels::around_caches().copy == nullptr || bytes == 0 || !are_alike) return nullptr;
  return std::unique_ptr<MemoryImage>(new MemoryImage(bundles, lanes, number_bytes, most, bytes));
}

MemoryImage::MemoryImage(std::span<const Bundle> bundles, std::size_t lanes, std::size_t number_bytes, std::size_t most,
                         std::size_t piece_bytes)
    : around_(kernels::around_caches()),
      most_(most),
      number_bytes_(number_bytes),
      piece_bytes_(piece_bytes),
      lines_of_piece_((most * piece_bytes + line_bytes - 1) / line_bytes) {
  std::size_t pieces = 0;
  for (const Bundle& bundle : bundles) pieces = std::max(pieces, pieces_of(bundle, lanes));
  lines_ = std::make_unique_for_overwrite<Line[]>(pieces * lines_of_piece_);
  for (const Bundle& bundle : bundles) add(bundle, lanes);
  runs_.reserve(most);
  places_.reserve(most);
}

void MemoryImage::add(Bundle bundle, std::size_t lanes) {
  const std::size_t pieces = pieces_of(bundle, lanes);
  std::vector<std::byte*>& memory = memory_.emplace_back();
  for (std::size_t k = 0; k < pieces; ++k) memory.push_back(bundle.pieces[k].memory);
  for (std::size_t s = 0; s < bundle.stripes.size(); ++s) {
    const std::size_t piece = pieces == 1 ? 0 : s;
    std::byte* const begin = lines_[piece * lines_of_piece_].bytes;
    bundle.stripes[s].memory = begin + (bundle.stripes[s].memory - memory[piece]);
  }
  if (pieces > 1 && bundle.step != 0) bundle.step = static_cast<std::ptrdiff_t>(lines_of_piece_ * line_bytes);
  images_.push_back(std::move(bundle));
}

// One, where the sites of a run are neighbours in memory.
std::size_t MemoryImage::copies_of(const SiteRun& run) const noexcept {
  const bool is_dense = run.step * static_cast<std::int64_t>(number_bytes_) == static_cast<std::int64_t>(piece_bytes_);
  return is_dense ? 1 : run.sites;
}

bool MemoryImage::aim_at(std::span<const std::int64_t> places, std::int64_t dense, std::size_t turns) {
  if (places.size() > most_) return false;
  runs_.find(places, dense, turns);
  std::size_t sites = 0, copies = 0;
  for (const SiteRun& run : runs_.runs()) {
    sites += run.sites;
    copies += copies_of(run);
  }
  if (copies * least_copy > sites * piece_bytes_) return false;
  places_.assign(places.size(), SitePlaces::absent);
  std::int64_t next = 0;
  for (const SiteRun& run : runs_.runs()) {
    for (const std::size_t site : runs_.sites_of(run)) {
      places_[site] = next;
      next += static_cast<std::int64_t>(piece_bytes_ / number_bytes_);
    }
  }
  return true;
}

void MemoryImage::put(std::size_t number) const noexcept {
  const auto width = static_cast<std::ptrdiff_t>(number_bytes_);
  for (std::size_t k = 0; k < memory_[number].size(); ++k) {
    const std::byte* from = lines_[k * lines_of_piece_].bytes;
    for (const SiteRun& run : runs_.runs()) {
      std::byte* to = memory_[number][k] + run.place * width;
      const std::size_t copies = copies_of(run), bytes = run.sites / copies * piece_bytes_;
      for (std::size_t i = 0; i < copies; ++i, from += bytes, to += run.step * width) around_.copy(from, to, bytes);
    }
  }
}

}  // namespace lq::lattice
