// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/node_cache.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <new>

#include <limequat/node_cache.hpp>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "io/journal.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// A word is, from its highest bits: the number of the block (40), a number (22), and the state of the slot (2). The
// number counts the users of a ready block, or is the process that fills it.

namespace {

constexpr std::uint64_t slot_page = 4096;
constexpr std::uint64_t most_ways = 8;
constexpr double longest_wait = 30;  // seconds; then each process reads for itself

enum SlotState : std::uint64_t { empty = 0, filling = 1, ready = 2 };
constexpr std::uint64_t one_user = 4;
constexpr std::uint64_t most_users = (std::uint64_t{1} << 22) - 1;

constexpr std::uint64_t word_of(std::uint64_t block, std::uint64_t number, SlotState state) {
  return block << 24 | number << 2 | state;
}
constexpr SlotState state_of(std::uint64_t word) { return static_cast<SlotState>(word & 3); }
constexpr std::uint64_t number_of(std::uint64_t word) { return word >> 2 & most_users; }
constexpr bool is_of(std::uint64_t word, std::uint64_t block) { return state_of(word) != empty && word >> 24 == block; }

constexpr std::uint64_t in_pages(std::uint64_t bytes) { return (bytes + slot_page - 1) / slot_page * slot_page; }

// A new process with the same number is taken for the old one; therefore waiting is limited, too.
bool is_gone(std::uint64_t process) noexcept { return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH; }

}  // namespace

std::uint64_t SharedBlocks::memory_bytes(const Shape& shape) noexcept {
  return in_pages(sizeof(Counts)) + in_pages(shape.slots * sizeof(Slot)) + shape.slots * shape.block_bytes;
}

SharedBlocks::Shape SharedBlocks::shape_for(std::uint64_t memory, std::uint64_t block_bytes) noexcept {
  Shape shape{memory / block_bytes, block_bytes};
  while (shape.slots > 0 && memory_bytes(shape) > memory) --shape.slots;
  if (shape.slots > most_ways) shape.slots -= shape.slots % most_ways;
  return shape.slots < 2 ? Shape{} : shape;
}

SharedBlocks::Slot& SharedBlocks::slot(std::uint64_t number) const noexcept {
  return reinterpret_cast<Slot*>(memory_ + in_pages(sizeof(Counts)))[number];
}

std::byte* SharedBlocks::block(std::uint64_t number) const noexcept {
  return memory_ + in_pages(sizeof(Counts)) + in_pages(shape_.slots * sizeof(Slot)) + number * shape_.block_bytes;
}

std::uint64_t SharedBlocks::ways() const noexcept { return std::min(shape_.slots, most_ways); }

std::uint64_t SharedBlocks::first_of(std::uint64_t block) const noexcept {
  return block % (shape_.slots / ways()) * ways();
}

void SharedBlocks::clear() noexcept {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  new (memory_) Counts{};
  for (std::uint64_t number = 0; number < shape_.slots; ++number) new (&slot(number)) Slot{};
}

SharedBlocks::Place SharedBlocks::look_for(std::uint64_t wanted) noexcept {
  const std::uint64_t first = first_of(wanted);
  Place oldest{Found::no_room};
  std::uint64_t oldest_use = ~std::uint64_t{0};
  for (std::uint64_t number = first; number < first + ways(); ++number) {
    std::uint64_t word = slot(number).word.load(std::memory_order_acquire);
    while (is_of(word, wanted)) {
      if (state_of(word) == filling) return {Found::waiting, number, word};
      if (number_of(word) == most_users) return {Found::no_room};
      if (slot(number).word.compare_exchange_weak(word, word + one_user, std::memory_order_acq_rel)) {
        return {Found::ready, number};
      }
    }
    const bool is_free = state_of(word) == empty || (state_of(word) == ready && number_of(word) == 0);
    const std::uint64_t use = state_of(word) == empty ? 0 : slot(number).used.load(std::memory_order_relaxed) + 1;
    if (is_free && use < oldest_use) oldest = {Found::claimed, number, word}, oldest_use = use;
  }
  return oldest;
}

bool SharedBlocks::wait_for(const Place& place) const noexcept {
  base::Backoff backoff(base::Backoff::Who::rank);
  const base::Stopwatch watch;
  for (std::uint64_t turn = 1; slot(place.slot).word.load(std::memory_order_acquire) == place.word; ++turn) {
    if (turn % 1024 == 0 && (is_gone(number_of(place.word)) || watch.seconds() > longest_wait)) return false;
    backoff.wait();
  }
  return true;
}

void SharedBlocks::fill(std::uint64_t number, std::uint64_t wanted,
                        base::FunctionRef<std::size_t(base::MutableBytes)> fetch) {
  Slot& mine = slot(number);
  try {
    const std::size_t length = fetch({block(number), static_cast<std::size_t>(shape_.block_bytes)});
    mine.length.store(length, std::memory_order_relaxed);
    counts().reads.fetch_add(1, std::memory_order_relaxed);
    counts().bytes_read.fetch_add(length, std::memory_order_relaxed);
  } catch (...) {
    mine.word.store(empty, std::memory_order_release);
    throw;
  }
  mine.word.store(word_of(wanted, 1, ready), std::memory_order_release);
}

bool SharedBlocks::use(std::uint64_t wanted, base::FunctionRef<std::size_t(base::MutableBytes)> fetch,
                       base::FunctionRef<void(base::Bytes)> give) {
  Place place;
  for (bool is_mine = false; !is_mine;) {
    place = look_for(wanted);
    switch (place.found) {
      case Found::no_room:
        return false;
      case Found::waiting:
        counts().waits.fetch_add(1, std::memory_order_relaxed);
        if (!wait_for(place)) return false;
        break;
      case Found::claimed:
        is_mine = slot(place.slot)
                      .word.compare_exchange_strong(place.word,
                                                    word_of(wanted, static_cast<std::uint64_t>(::getpid()), filling),
                                                    std::memory_order_acq_rel);
        if (is_mine) fill(place.slot, wanted, fetch);
        break;
      case Found::ready:
        is_mine = true;
        break;
    }
  }
  Slot& mine = slot(place.slot);
  struct Leaving {
    std::atomic<std::uint64_t>& word;
    ~Leaving() { word.fetch_sub(one_user, std::memory_order_acq_rel); }
  } const leaving{mine.word};
  mine.used.store(counts().clock.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  give({block(place.slot), static_cast<std::size_t>(mine.length.load(std::memory_order_relaxed))});
  return true;
}

}  // namespace lq::io

namespace lq {
namespace {

constexpr std::uint64_t cache_page = 4096;
constexpr std::uint64_t largest_cache_block = std::uint64_t{1} << 30;

void require_cache_options(const std::string& path, const NodeCacheOptions& options) {
  const std::uint64_t block = options.block_bytes;
  if (block < cache_page || block > largest_cache_block || !std::has_single_bit(block)) {
    base::fail(Code::invalid_argument, {.path = path}, "blocks of {} bytes: a power of two from {} to {} is expected",
               block, cache_page, largest_cache_block);
  }
  if (options.bytes / block < 2 || options.bytes > std::uint64_t{1} << 62) {
    base::fail(Code::invalid_argument, {.path = path},
               "a cache of {} bytes cannot hold two blocks of {}; use more bytes, or smaller blocks", options.bytes,
               block);
  }
}

}  // namespace

struct NodeCache::State {
  State(const std::string& file_path, const Communicator& ranks, const NodeCacheOptions& how)
      : path(file_path), communicator(ranks), options(how), transport(storage::resolve(file_path)) {}

  // Local. The open file; opened only once.
  storage::File& file() {
    const std::lock_guard lock(mutex);
    if (!opened) {
      std::unique_ptr<storage::File> now = transport.open_read(path);
      const storage::Identity found = now->identity();
      if (!is_same_across_nodes(found, identity) || found.bytes != identity.bytes) {
        base::fail(Code::io, {.path = path}, "is a different file than when the cache was created; create a new cache");
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
      base::fail(Code::io, {.path = path, .offset = begin + got},
                 "ends at byte {}, but had {} bytes when the cache was created", begin + got, identity.bytes);
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
  storage::Identity identity;  // of the file, as the root sees it
  std::mutex mutex;
  std::unique_ptr<storage::File> opened;
  std::unique_ptr<comm::Node::Lease> lease;
  std::optional<io::SharedBlocks> blocks;  // in the leased memory
  std::uint64_t memory_bytes = 0;
};

NodeCache::NodeCache(const std::string& path, const Communicator& communicator, const NodeCacheOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] {
    return std::vector<comm::StatedArgument>{{"the file", path},
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
  // Each rank of a node provides an equal part of its memory, which is contiguous.
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

// Memory that others still read is leased again only when they, too, request some.
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
  base::fail(Code::unsupported, {.path = path()}, "is read through a cache of the node, and cannot be written");
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
