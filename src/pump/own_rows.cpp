// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/own_rows.hpp"

#include "base/clock.hpp"

namespace lq::pump {

void RowsOut::pack(const Stretch& stretch, base::MutableBytes bytes) {
  const base::ScopedSeconds seconds(tally_.pack_seconds);
  std::byte* to = bytes.data();
  for (const Piece& piece : stretch.pieces) {
    source_.pack(piece, to, tally_.sums);
    to += piece.sites * payload_.site_bytes();
  }
  tally_.bytes += bytes.size();
}

void RowsOut::write(std::uint64_t file_site, base::Bytes bytes) {
  const base::ScopedSeconds seconds(tally_.storage_seconds);
  file_.write_at(payload_.origin() + file_site * payload_.site_bytes(), bytes);
}

void RowsOut::move(const Stretch& stretch, Block& block) {
  const base::MutableBytes bytes = block.first_sites(stretch.sites);
  pack(stretch, bytes);
  write(stretch.file_site, bytes);
}

RowsIn::Target RowsIn::target_of(const Stretch& stretch, Block& block) {
  std::byte* const place = stretch.pieces.size() == 1 ? sink_.in_place(stretch.pieces.front()) : nullptr;
  if (place == nullptr) return {block.first_sites(stretch.sites), false};
  return {{place, static_cast<std::size_t>(stretch.sites * payload_.site_bytes())}, true};
}

void RowsIn::read(std::uint64_t file_site, base::MutableBytes bytes) {
  const base::ScopedSeconds seconds(tally_.storage_seconds);
  read_whole(file_, payload_.origin() + file_site * payload_.site_bytes(), bytes);
}

void RowsIn::take(const Stretch& stretch, const Target& target) {
  if (target.is_in_place) return turn(stretch, target.bytes);
  const base::ScopedSeconds seconds(tally_.pack_seconds);
  watch_zeros(payload_, target.bytes, stretch.file_site, tally_.zeros);
  for_each_piece_of(stretch, target.bytes.data(),
                    [&](const Piece& piece, std::byte* at) { sink_.unpack(piece, at, tally_.sums); });
  tally_.bytes += target.bytes.size();
}

void RowsIn::turn(const Stretch& stretch, base::MutableBytes bytes) {
  const base::ScopedSeconds seconds(tally_.pack_seconds);
  watch_zeros(payload_, bytes, stretch.file_site, tally_.zeros);
  for_each_piece_of(stretch, bytes.data(),
                    [&](const Piece& piece, std::byte* at) { sink_.packer().turn(at, Run(piece), tally_.sums); });
  tally_.bytes += bytes.size();
}

void RowsIn::give(const Stretch& stretch, base::Bytes bytes) {
  const base::ScopedSeconds seconds(tally_.pack_seconds);
  for_each_piece_of(stretch, bytes.data(), [&](const Piece& piece, const std::byte* at) { sink_.give(piece, at); });
}

void RowsIn::finish() {
  const base::ScopedSeconds seconds(tally_.pack_seconds);
  sink_.finish(tally_.sums);
}

void RowsIn::move(const Stretch& stretch, Block& block) {
  const Target target = target_of(stretch, block);
  read(stretch.file_site, target.bytes);
  take(stretch, target);
}

}  // namespace lq::pump
