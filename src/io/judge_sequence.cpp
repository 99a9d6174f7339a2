// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/judge_sequence.hpp"

#include "engine/direct.hpp"
#include "engine/file_order.hpp"

namespace lq::io {

Judgement judge_sequence(base::ByteSource& sites, const FieldEntry& entry) {
  Payload payload = entry.payload;
  payload.file = 0;
  payload.offset = 0;
  payload.tile_sites = 0;
  payload.tiles.clear();
  payload.encoding.clear();
  payload.arrays = 1;
  payload.block = {};
  payload.at_odd_points = false;
  payload.length = payload.stored.volume() * payload.site_bytes();
  engine::TransferStats stats(payload, sums_of(entry));
  engine::checksum_sites(sites, payload, {}, engine::pump_options(payload, 0, 1, RouteOptions{}.memory_bytes, false),
                         stats);
  return judge(entry, stats, payload.stored);
}

}  // namespace lq::io
