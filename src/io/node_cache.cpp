// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <limequat/node_cache.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "io/journal.hpp"
#include "io/shared_blocks.hpp"
#include "storage/transport.hpp"

namespace lq {
namespace {

constexpr std::uint64_t cache_page = 4096;
constexpr std::uint64_t largest_cache_block = std::uint64_t{1} << 30;

void require_cache_options(const std::string& path, const NodeCacheOptions& options) {
  const std::uint64_t block = options.block_bytes;
  if (block < cache_page || block > largest_cache_block || !std::has_single_bit(block)) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: blocks of {} bytes: a power of two from {} to {} is expected", path, block, cache_page,
                            largest_cache_block),
                {.path = path});
  }
  if (options.bytes / block < 2 || options.bytes > std::uint64_t{1} << 62) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: a cache of {} bytes does not hold two blocks of {}; give it more, or smaller blocks",
                            path, options.bytes, block),
                {.path = path});
  }
}

}  // namespace

struct NodeCache::State {
  State(const std::string& file_path, const Communicator& ranks, const NodeCacheOptions& how)
      : path(file_path), communicator(ranks), options(how), transport(storage::resolve(file_path)) {}

  // Local. The file, open; opened only once.
  storage::File& file() {
    const std::lock_guard lock(mutex);
    if (!opened) {
      std::unique_ptr<storage::File> now = transport.open_read(path);
      const storage::Identity found = now->identity();
      if (!is_same_across_nodes(found, identity) || found.bytes != identity.bytes) {
        throw Error(Code::io, fmt::format("{}: is another file than when the cache was made; make a new cache", path),
                    {.path = path});
      }
      opened = std::move(now);
    }
    return *opened;
  }

  std::size_t read_piece(std::uint64_t offset, base::MutableBytes bytes) {
    std::size_t done = 0;
    const auto give = [&](base::Bytes block) {
      const std::uint64_t from = offset % options.block_bytes;
      if (block.size() <= from) return;
      done = std::min<std::size_t>(bytes.size(), block.size() - static_cast<std::size_t>(from));
      std::memcpy(bytes.data(), block.data() + from, done);
    };
    const auto fetch = [&](base::MutableBytes memory) {
      const std::uint64_t begin = offset / options.block_bytes * options.block_bytes;
      const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(memory.size(), identity.bytes - begin));
      const std::size_t got = file().read_at(begin, memory.first(length));
      if (got == length) return got;
      throw Error(Code::io,
                  fmt::format("{}: ends at byte {}, but had {} bytes when the cache was made", path, begin + got,
                              identity.bytes),
                  {.path = path, .offset = begin + got});
    };
    if (blocks && blocks->use(offset / options.block_bytes, fetch, give)) return done;
    done = file().read_at(offset, bytes);
    if (blocks) {
      blocks->counts().reads_beside.fetch_add(1, std::memory_order_relaxed);
      blocks->counts().bytes_read.fetch_add(done, std::memory_order_relaxed);
    }
    return done;
  }

  std::string path;
  Communicator communicator;
  NodeCacheOptions options;
  storage::Transport& transport;
  storage::Identity identity;  // of the file, as the root has seen it
  std::mutex mutex;
  std::unique_ptr<storage::File> opened;
  std::unique_ptr<comm::Node::Lease> lease;
  std::optional<io::SharedBlocks> blocks;  // in the lease
  std::uint64_t memory_bytes = 0;
};

NodeCache::NodeCache(const std::string& path, const Communicator& communicator, const NodeCacheOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] {
    return std::vector<comm::Stated>{{"the file", path},
                                     {"the bytes of the cache", std::to_string(options.bytes)},
                                     {"the bytes of a block", std::to_string(options.block_bytes)}};
  });
  state_ = comm::agree(comm, [&] {
    require_cache_options(path, options);
    return std::make_unique<State>(path, communicator, options);
  });
  State& state = *state_;
  comm::agree_at_root(comm, [&] {
    state.opened = state.transport.open_read(path);
    io::require_no_journal(state.transport, path);
    state.identity = state.opened->identity();
  });
  comm.broadcast(std::as_writable_bytes(std::span(&state.identity, 1)), 0);
  comm::Node& node = comm.node();
  // Each rank of a node makes an equal part of its memory, which is one piece.
  const auto largest = static_cast<std::uint64_t>(node.largest());
  const std::uint64_t part = options.bytes / largest / cache_page * cache_page;
  if (part > 0) state.lease = node.lease(part);
  if (state.lease) {
    const std::uint64_t bytes = part * node.ranks().size();
    const io::SharedBlocks::Shape shape = io::SharedBlocks::shape_for(bytes, options.block_bytes);
    if (shape.slots > 0) {
      state.blocks.emplace(state.lease->area(0), shape);
      state.memory_bytes = bytes;
      if (node.index() == 0) state.blocks->clear();
    }
  }
  comm.barrier();
}

// Memory that others still read is not leased again before they, too, ask for some.
NodeCache::~NodeCache() = default;
NodeCache::NodeCache(NodeCache&&) noexcept = default;
NodeCache& NodeCache::operator=(NodeCache&&) noexcept = default;

std::string NodeCache::path() const { return state_->path; }
std::uint64_t NodeCache::size() const { return state_->identity.bytes; }

std::size_t NodeCache::read_at(std::uint64_t offset, std::span<std::byte> bytes) {
  const std::uint64_t block = state_->options.block_bytes;
  std::size_t done = 0;
  while (done < bytes.size() && offset + done < state_->identity.bytes) {
    const std::uint64_t at = offset + done;
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size() - done, block - at % block));
    const std::size_t got = state_->read_piece(at, bytes.subspan(done, piece));
    done += got;
    if (got < piece) break;
  }
  if (state_->blocks) state_->blocks->counts().bytes_given.fetch_add(done, std::memory_order_relaxed);
  return done;
}

void NodeCache::write_at(std::uint64_t, std::span<const std::byte>) {
  throw Error(Code::unsupported, fmt::format("{}: is read through a cache of the node, and cannot be written", path()),
              {.path = path()});
}

NodeCacheCounts NodeCache::counts() const {
  NodeCacheCounts result;
  if (!state_->blocks) return result;
  const io::SharedBlocks::Counts& counts = state_->blocks->counts();
  const auto value = [](const std::atomic<std::uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  result.reads = value(counts.reads);
  result.bytes_read = value(counts.bytes_read);
  result.bytes_given = value(counts.bytes_given);
  result.waits = value(counts.waits);
  result.reads_beside = value(counts.reads_beside);
  result.memory_bytes = state_->memory_bytes;
  return result;
}

}  // namespace lq
