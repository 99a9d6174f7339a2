// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A cache for a file that the ranks of a node read together: each block is read once and shared in their memory. For
// programs in which every rank, or every group of ranks, needs the same configuration, source or table, on file systems
// without a cache of their own.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/storage.hpp>

namespace lq {

struct NodeCacheOptions {
  std::uint64_t bytes = std::uint64_t{64} << 20;       // maximum memory on each node; at least two blocks
  std::uint64_t block_bytes = std::uint64_t{1} << 20;  // read at a time: a page times a power of two, at most 1 GiB
};

// Counters of one node, summed over its ranks since the cache was created.
struct NodeCacheCounts {
  std::uint64_t reads = 0;         // of blocks, from the file
  std::uint64_t bytes_read = 0;    // by these reads, and by reads past the cache
  std::uint64_t bytes_given = 0;   // to callers
  std::uint64_t waits = 0;         // for a block that another rank was reading
  std::uint64_t reads_beside = 0;  // past the cache: all blocks were in use, or the rank that was reading one had died
  std::uint64_t memory_bytes = 0;  // of the cache; 0: the node has no shared memory, so each rank reads for itself
};

class LQ_API NodeCache final : public Storage {
 public:
  // Collective over the ranks that will read; the ranks of a node share the cache. A rank opens the file when it first
  // reads a block of it. invalid_argument, ranks_disagree, not_found, no_permission, out_of_memory, wrong_state.
  NodeCache(const std::string& path, const Communicator& communicator, const NodeCacheOptions& options = {});
  // Local.
  ~NodeCache() override;
  NodeCache(NodeCache&&) noexcept;
  NodeCache& operator=(NodeCache&&) noexcept;

  // Local: each rank reads independently, from any thread. io: the file was replaced since the cache was created, or
  // its size changed.
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> bytes) override;
  // Local. Always throws unsupported: the cache is read-only.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) override;
  std::string path() const override;

  std::uint64_t size() const;      // of the file, in bytes
  NodeCacheCounts counts() const;  // local

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lq
