// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A word is, from its highest bits: the number of the block (40), a number (22), and what becomes of the slot (2). The
// number counts those who use a ready block, or is the process that fills it.
#include "io/shared_blocks.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "base/backoff.hpp"
#include "base/clock.hpp"

namespace lq::io {
namespace {

constexpr std::uint64_t slot_page = 4096;
constexpr std::uint64_t most_ways = 8;
constexpr double longest_wait = 30;  // seconds; then everybody reads for himself

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

// Another one with its number is taken for it: then the wait has an end, too.
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
