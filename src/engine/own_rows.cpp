// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/own_rows.hpp"

namespace lq::engine {
namespace {

std::uint64_t place_of(const Payload& payload, std::uint64_t file_site) {
  return payload.origin() + file_site * payload.site_bytes();
}

// Calls work(batch, its bytes) for each of the batches, whose sites are contiguous in `bytes`.
template <class Bytes, class Work>
void for_each_batch(const Payload& payload, std::span<const SiteBatch> batches, Bytes bytes, const Work& work) {
  for (const SiteBatch& batch : batches) {
    const auto size = static_cast<std::size_t>(batch.sites * payload.site_bytes());
    work(batch, bytes.first(size));
    bytes = bytes.subspan(size);
  }
}

}  // namespace

void RowsOut::pack(std::span<const SiteBatch> batches, base::MutableBytes bytes) {
  clock_.add(stats_.pack_seconds, [&] {
    for_each_piece_group(batches, source_.most_at_once() >= batches.size(),
                         [&](const PieceGroup& pieces, std::uint64_t skip) {
                           source_.pack(pieces, bytes.data() + skip * payload_.site_bytes(), stats_);
                         });
  });
  stats_.bytes += bytes.size();
}

void RowsOut::write(std::span<const SiteBatch> batches, base::Bytes bytes) {
  clock_.add(stats_.storage_seconds, [&] {
    for_each_batch(payload_, batches, bytes, [&](const SiteBatch& batch, base::Bytes some) {
      file_.write_at(place_of(payload_, batch.file_site), some);
    });
  });
}

void RowsOut::move(std::span<const SiteBatch> batches, Block& block) {
  const base::MutableBytes bytes = block.first_sites(sites_of(batches));
  clock_.next(bytes.size());
  pack(batches, bytes);
  write(batches, bytes);
}

RowsIn::Target RowsIn::target_of(std::span<const SiteBatch> batches, Block& block) {
  const bool is_one = batches.size() == 1 && batches.front().pieces.size() == 1;
  std::byte* const place = is_one ? sink_.in_place(batches.front().pieces.front()) : nullptr;
  const std::uint64_t sites = sites_of(batches);
  if (place == nullptr) return {block.first_sites(sites), false};
  return {{place, static_cast<std::size_t>(sites * payload_.site_bytes())}, true};
}

void RowsIn::fetch_ahead(std::uint64_t file_site, std::uint64_t sites) noexcept {
  file_.fetch_ahead(place_of(payload_, file_site), sites * payload_.site_bytes());
}

void RowsIn::read(std::span<const SiteBatch> batches, base::MutableBytes bytes) {
  clock_.add(stats_.storage_seconds, [&] {
    for_each_batch(payload_, batches, bytes, [&](const SiteBatch& batch, base::MutableBytes some) {
      read_whole(file_, place_of(payload_, batch.file_site), some);
    });
  });
}

void RowsIn::take(std::span<const SiteBatch> batches, const Target& target) {
  if (target.is_in_place) return turn(batches.front(), target.bytes);
  clock_.add(stats_.pack_seconds, [&] {
    for_each_batch(payload_, batches, target.bytes, [&](const SiteBatch& batch, base::MutableBytes some) {
      watch(payload_, some, batch.file_site, stats_);
    });
    for_each_piece_group(batches, sink_.most_at_once() >= batches.size(),
                         [&](const PieceGroup& pieces, std::uint64_t skip) {
                           sink_.unpack(pieces, target.bytes.data() + skip * payload_.site_bytes(), stats_.sums);
                         });
  });
  stats_.bytes += target.bytes.size();
}

void RowsIn::turn(const SiteBatch& batch, base::MutableBytes bytes) {
  clock_.add(stats_.pack_seconds, [&] {
    watch(payload_, bytes, batch.file_site, stats_);
    for_each_piece_group({&batch, 1}, false, [&](const PieceGroup& piece, std::uint64_t skip) {
      sink_.packer().turn(bytes.data() + skip * payload_.site_bytes(), Run(piece[0]), stats_.sums);
    });
  });
  stats_.bytes += bytes.size();
}

void RowsIn::give(const SiteBatch& batch, base::Bytes bytes) {
  clock_.add(stats_.pack_seconds, [&] {
    for_each_piece_group({&batch, 1}, false, [&](const PieceGroup& piece, std::uint64_t skip) {
      sink_.give(piece[0], bytes.data() + skip * payload_.site_bytes());
    });
  });
}

void RowsIn::finish() {
  const base::ScopedSeconds seconds(stats_.pack_seconds);
  sink_.finish(stats_.sums);
}

void RowsIn::move(std::span<const SiteBatch> batches, Block& block) {
  const Target target = target_of(batches, block);
  clock_.next(target.bytes.size());
  read(batches, target.bytes);
  take(batches, target);
}

}  // namespace lq::engine
