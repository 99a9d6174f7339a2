// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A cache for a file that the ranks of a node read together (docs/guide/reading.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_NODE_CACHE_H
#define LIMEQUAT_C_NODE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

// Each block is read once and shared in the memory of the node.
typedef struct lq_node_cache lq_node_cache;

// Counters of one node, summed over its ranks since the cache was created.
typedef struct lq_node_cache_counts {
  size_t struct_size;     // set by you
  uint64_t reads;         // of blocks, from the file
  uint64_t bytes_read;    // by these reads, and by reads past the cache
  uint64_t bytes_given;   // to callers
  uint64_t waits;         // for a block that another rank was reading
  uint64_t reads_beside;  // past the cache: all blocks were in use, or the rank that was reading one had died
  uint64_t memory_bytes;  // of the cache; 0: the node has no shared memory
} lq_node_cache_counts;

// Collective over the communicator, or NULL. `bytes`: maximum memory on each node, 0 for 64 MiB; `block_bytes`: read at
// a time, a power of two, 0 for 1 MiB.
LQ_API lq_status lq_node_cache_open(const char* path, const lq_communicator* communicator, uint64_t bytes,
                                    uint64_t block_bytes, lq_node_cache** cache);
// Local, from any thread. *got: the number of bytes read, less than requested only at the end of the file.
LQ_API lq_status lq_node_cache_read(lq_node_cache* cache, uint64_t offset, void* bytes, uint64_t count, uint64_t* got);
// Local.
LQ_API uint64_t lq_node_cache_size(const lq_node_cache* cache);  // of the file, in bytes
LQ_API lq_status lq_node_cache_count(const lq_node_cache* cache, lq_node_cache_counts* counts);
LQ_API void lq_node_cache_free(lq_node_cache* cache);

#ifdef __cplusplus
}
#endif

#endif
