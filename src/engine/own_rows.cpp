// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/own_rows.hpp"

namespace lq::engine {
namespace {

std::uint64_t place_of(const Payload& payload, std::uint64_t file_site) {
  return payload.origin() + file_site * payload.site_bytes();
}

// Calls work(stretch, its bytes) for each of the stretches, whose sites are contiguous in `bytes`.
template <class Bytes, class Work>
void for_each_stretch(const Payload& payload, std::span<const Stretch> stretches, Bytes bytes, const Work& work) {
  for (const Stretch& stretch : stretches) {
    const auto size = static_cast<std::size_t>(stretch.sites * payload.site_bytes());
    work(stretch, bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

}  // namespace

void RowsOut::pack(std::span<const Stretch> stretches, base::MutableBytes bytes) {
  clock_.add(stats_.pack_seconds, [&] {
    for_each_piece_group(stretches, source_.most_at_once() >= stretches.size(),
                         [&](const PieceGroup& pieces, std::uint64_t skip) {
                           source_.pack(pieces, bytes.data() + skip * payload_.site_bytes(), stats_);
                         });
  });
  stats_.bytes += bytes.size();
}

void RowsOut::write(std::span<const Stretch> stretches, base::Bytes bytes) {
  clock_.add(stats_.storage_seconds, [&] {
    for_each_stretch(payload_, stretches, bytes, [&](const Stretch& stretch, base::Bytes some) {
      file_.write_at(place_of(payload_, stretch.file_site), some);
    });
  });
}

void RowsOut::move(std::span<const Stretch> stretches, Block& block) {
  const base::MutableBytes bytes = block.first_sites(sites_of(stretches));
  clock_.next(bytes.size());
  pack(stretches, bytes);
  write(stretches, bytes);
}

RowsIn::Target RowsIn::target_of(std::span<const Stretch> stretches, Block& block) {
  const bool is_one = stretches.size() == 1 && stretches.front().pieces.size() == 1;
  std::byte* const place = is_one ? sink_.in_place(stretches.front().pieces.front()) : nullptr;
  const std::uint64_t sites = sites_of(stretches);
  if (place == nullptr) return {block.first_sites(sites), false};
  return {{place, static_cast<std::size_t>(sites * payload_.site_bytes())}, true};
}

void RowsIn::fetch_ahead(std::uint64_t file_site, std::uint64_t sites) noexcept {
  file_.fetch_ahead(place_of(payload_, file_site), sites * payload_.site_bytes());
}

void RowsIn::read(std::span<const Stretch> stretches, base::MutableBytes bytes) {
  clock_.add(stats_.storage_seconds, [&] {
    for_each_stretch(payload_, stretches, bytes, [&](const Stretch& stretch, base::MutableBytes some) {
      read_whole(file_, place_of(payload_, stretch.file_site), some);
    });
  });
}

void RowsIn::take(std::span<const Stretch> stretches, const Target& target) {
  if (target.is_in_place) return turn(stretches.front(), target.bytes);
  clock_.add(stats_.pack_seconds, [&] {
    for_each_stretch(payload_, stretches, target.bytes, [&](const Stretch& stretch, base::MutableBytes some) {
      watch(payload_, some, stretch.file_site, stats_);
    });
    for_each_piece_group(stretches, sink_.most_at_once() >= stretches.size(),
                         [&](const PieceGroup& pieces, std::uint64_t skip) {
                           sink_.unpack(pieces, target.bytes.data() + skip * payload_.site_bytes(), stats_.sums);
                         });
  });
  stats_.bytes += target.bytes.size();
}

void RowsIn::turn(const Stretch& stretch, base::MutableBytes bytes) {
  clock_.add(stats_.pack_seconds, [&] {
    watch(payload_, bytes, stretch.file_site, stats_);
    for_each_piece_group({&stretch, 1}, false, [&](const PieceGroup& piece, std::uint64_t skip) {
      sink_.packer().turn(bytes.data() + skip * payload_.site_bytes(), Run(piece[0]), stats_.sums);
    });
  });
  stats_.bytes += bytes.size();
}

void RowsIn::give(const Stretch& stretch, base::Bytes bytes) {
  clock_.add(stats_.pack_seconds, [&] {
    for_each_piece_group({&stretch, 1}, false, [&](const PieceGroup& piece, std::uint64_t skip) {
      sink_.give(piece[0], bytes.data() + skip * payload_.site_bytes());
    });
  });
}

void RowsIn::finish() {
  const base::ScopedSeconds seconds(stats_.pack_seconds);
  sink_.finish(stats_.sums);
}

void RowsIn::move(std::span<const Stretch> stretches, Block& block) {
  const Target target = target_of(stretches, block);
  clock_.next(target.bytes.size());
  read(stretches, target.bytes);
  take(stretches, target);
}

}  // namespace lq::engine
