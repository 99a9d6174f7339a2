// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file that the ranks of a node read together.
#include <limequat/node_cache.hpp>

#include <span>
#include <string>

#include "capi/answers.hpp"
#include "capi/call.hpp"
#include "capi/handles.hpp"

struct lq_node_cache {
  lq::NodeCache cache;
};

using lq::capi::given;
using lq::capi::guarded;

lq_status lq_node_cache_open(const char* path, const lq_communicator* communicator, uint64_t bytes,
                             uint64_t block_bytes, lq_node_cache** cache) {
  return guarded([&] {
    const lq::Communicator group = lq::capi::communicator_of(communicator);
    auto [room, name] = lq::capi::agreed(
        group, [&] { return std::pair(lq::capi::Room(cache, "cache"), lq::capi::text(path, "path")); });
    lq::NodeCacheOptions how;
    if (bytes > 0) how.bytes = bytes;
    if (block_bytes > 0) how.block_bytes = block_bytes;
    room.fill(lq::NodeCache(name, group, how));
  });
}

lq_status lq_node_cache_read(lq_node_cache* cache, uint64_t offset, void* bytes, uint64_t count, uint64_t* got) {
  return guarded([&] {
    given(cache, "cache");
    given(got, "got");
    if (count > 0) given(bytes, "bytes");
    *got = cache->cache.read_at(offset, {static_cast<std::byte*>(bytes), static_cast<std::size_t>(count)});
  });
}

uint64_t lq_node_cache_size(const lq_node_cache* cache) { return cache == nullptr ? 0 : cache->cache.size(); }

lq_status lq_node_cache_count(const lq_node_cache* cache, lq_node_cache_counts* counts) {
  return guarded([&] {
    const lq::NodeCacheCounts now = given(cache, "cache")->cache.counts();
    lq_node_cache_counts answer{};
    answer.reads = now.reads;
    answer.bytes_read = now.bytes_read;
    answer.bytes_given = now.bytes_given;
    answer.waits = now.waits;
    answer.reads_beside = now.reads_beside;
    answer.memory_bytes = now.memory_bytes;
    lq::capi::fill(counts, answer, "counts");
  });
}

void lq_node_cache_free(lq_node_cache* cache) { delete cache; }
