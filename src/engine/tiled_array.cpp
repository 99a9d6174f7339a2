// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/tiled_array.hpp"

#include <algorithm>
#include <array>

namespace lq::engine {
namespace {

constexpr std::array<std::byte, 4096> zeros{};

}  // namespace

TiledArray::Span TiledArray::span_at(std::uint64_t offset, std::size_t most) const noexcept {
  const lattice::TilePiece piece = map_.piece_at(offset / site_bytes_);
  const std::uint64_t of_site = offset % site_bytes_, bytes = piece.sites * site_bytes_ - of_site;
  const bool reaches_end = bytes <= most;
  return {static_cast<std::size_t>(first_tile_ + piece.tile), piece.first * site_bytes_ + of_site,
          reaches_end ? static_cast<std::size_t>(bytes) : most, reaches_end ? piece.padding * site_bytes_ : 0};
}

void TiledArray::read(std::uint64_t offset, base::MutableBytes buffer) {
  while (!buffer.empty()) {
    const Span span = span_at(offset, buffer.size());
    tiles_.read(span.tile, span.within, buffer.first(span.bytes));
    offset += span.bytes;
    buffer = buffer.subspan(span.bytes);
  }
}

void TiledArray::write(std::uint64_t offset, base::Bytes bytes) {
  while (!bytes.empty()) {
    const Span span = span_at(offset, bytes.size());
    tiles_.write(span.tile, span.within, bytes.first(span.bytes));
    std::uint64_t within = span.within + span.bytes;
    for (std::uint64_t left = span.padding, now = 0; left > 0; left -= now, within += now) {
      now = std::min<std::uint64_t>(left, zeros.size());
      tiles_.write(span.tile, within, base::Bytes(zeros).first(static_cast<std::size_t>(now)));
    }
    offset += span.bytes;
    bytes = bytes.subspan(span.bytes);
  }
}

}  // namespace lq::engine
