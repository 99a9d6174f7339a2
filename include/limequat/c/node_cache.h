// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file that the ranks of a node read together (docs/guide/reading.md). Conventions: limequat.h.
#ifndef LIMEQUAT_C_NODE_CACHE_H
#define LIMEQUAT_C_NODE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <limequat/c/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

// What several of them want is read once and shared in their memory.
typedef struct lq_node_cache lq_node_cache;

// Of this node, by all its ranks, since the cache was made.
typedef struct lq_node_cache_counts {
  size_t struct_size;     // set by you
  uint64_t reads;         // of blocks, from the file
  uint64_t bytes_read;    // by them, and by those who read past the cache
  uint64_t bytes_given;   // to callers
  uint64_t waits;         // for a block that another rank was reading
  uint64_t reads_beside;  // past the cache: it was full of blocks in use, or who read a block was gone
  uint64_t memory_bytes;  // that it takes; 0: the node has no memory to share
} lq_node_cache_counts;

// Collective over the communicator, or NULL. `bytes`: of memory on each node, at most, 0 for 64 MiB; `block_bytes`:
// read at a time, a power of two, 0 for 1 MiB.
LQ_API lq_status lq_node_cache_open(const char* path, const lq_communicator* communicator, uint64_t bytes,
                                    uint64_t block_bytes, lq_node_cache** cache);
// Local, in any thread. *got: how many bytes there were, less than asked for only at the end of the file.
LQ_API lq_status lq_node_cache_read(lq_node_cache* cache, uint64_t offset, void* bytes, uint64_t count, uint64_t* got);
// Local.
LQ_API uint64_t lq_node_cache_size(const lq_node_cache* cache);  // of the file, in bytes
LQ_API lq_status lq_node_cache_count(const lq_node_cache* cache, lq_node_cache_counts* counts);
LQ_API void lq_node_cache_free(lq_node_cache* cache);

#ifdef __cplusplus
}
#endif

#endif
