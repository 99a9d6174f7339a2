// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library needs of a group of ranks: nine collective operations, messages in flight between two ranks, and
// who shares memory with whom. A failure of the message layer is Error(communication). Buffers may exceed 2 GiB.
// A rank that has no memory for its part of a collective operation goes through with it all the same, so that nobody
// waits, and throws std::bad_alloc at its end: whoever calls one that returns more than numbers does so inside agree().
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <limequat/version.hpp>

#include "base/function_ref.hpp"

namespace lq::comm {

// A message on its way, as a value that holds all it needs: a rank that others wait for starts messages without asking
// for memory.

// Its bytes stay where they are until it is done; destroy it only then.
class Flight {
 public:
  Flight() = default;  // no message
  // `state`: what an implementation keeps of a message, with bool is_done().
  template <class State>
  requires(!std::is_same_v<State, Flight>) explicit Flight(State state) noexcept : kind_(&kind_of<State>) {
    static_assert(sizeof(State) <= sizeof room_ && alignof(State) <= alignof(std::max_align_t));
    static_assert(std::is_nothrow_move_constructible_v<State>);
    new (&room_) State(std::move(state));
  }
  Flight(Flight&& other) noexcept { take(other); }
  Flight& operator=(Flight&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  ~Flight() { reset(); }

  explicit operator bool() const noexcept { return kind_ != nullptr; }
  bool is_done() { return kind_->is_done(&room_); }
  void reset() noexcept {
    if (kind_ != nullptr) kind_->destroy(&room_);
    kind_ = nullptr;
  }

 private:
  struct Kind {
    bool (*is_done)(void* state);
    void (*move)(void* from, void* to) noexcept;  // and destroys what was there
    void (*destroy)(void* state) noexcept;
  };
  template <class State>
  static constexpr Kind kind_of{[](void* state) { return static_cast<State*>(state)->is_done(); },
                                [](void* from, void* to) noexcept {
                                  new (to) State(std::move(*static_cast<State*>(from)));
                                  static_cast<State*>(from)->~State();
                                },
                                [](void* state) noexcept { static_cast<State*>(state)->~State(); }};

  void take(Flight& other) noexcept {
    kind_ = std::exchange(other.kind_, nullptr);
    if (kind_ != nullptr) kind_->move(&other.room_, &room_);
  }

  const Kind* kind_ = nullptr;
  alignas(std::max_align_t) std::byte room_[112];
};

// Local. Waits until the message has arrived, or has been taken.
void wait(Flight flight);

enum class Reduce : std::uint64_t { sum, min, max, bit_xor, bit_or };

inline std::uint64_t combined(std::uint64_t a, std::uint64_t b, Reduce operation) noexcept {
  switch (operation) {
    case Reduce::sum:
      return a + b;
    case Reduce::min:
      return std::min(a, b);
    case Reduce::max:
      return std::max(a, b);
    case Reduce::bit_xor:
      return a ^ b;
    case Reduce::bit_or:
      return a | b;
  }
  return a;
}

// A number of this rank, and how it is combined with those of the others.
struct Term {
  std::uint64_t value = 0;
  Reduce operation = Reduce::max;
};

// Bytes for one rank, or from one rank.
struct Message {
  int rank = 0;
  std::vector<std::byte> bytes;
};

// Of seconds, which are not negative and so in the order of their bits: the most.
inline Term seconds_term(double seconds) noexcept { return {std::bit_cast<std::uint64_t>(seconds), Reduce::max}; }
inline double seconds_of(const Term& term) noexcept { return std::bit_cast<double>(term.value); }

class Node;

// Channels keep messages apart that are under way at the same time. Those of collective operations, which every rank
// finishes in turn, have fixed ones; the others are for Channel.
inline constexpr int tree_channel = 0, feeding_channel = 1, passing_channel = 2, turn_channel = 3;
inline constexpr int first_transfer_channel = 4;
inline constexpr int channels = 1024;

// Visible, for what it does itself is called through the objects of other libraries: that over MPI.
class LQ_API Comm {
 public:
  Comm() = default;
  virtual ~Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  // `data` has the same size on all ranks.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;
  // Element by element, result on all ranks; sums are modulo 2^64.
  virtual void all_reduce(std::span<std::uint64_t> values, Reduce operation) = 0;
  // The same in one operation for numbers of which each has its own, the same on all ranks.
  virtual void combine(std::span<Term> terms);
  // The contributions of all ranks, contiguous, go to `sink` on root, in pieces: first that of root, then
  // those of the ranks after it, then those of rank 0 and so on. Sizes may differ. What sink throws is thrown on root
  // when all has arrived; it is called no more. In steps that grow with the logarithm of the group, and in bounded
  // memory.
  using Sink = base::FunctionRef<void(std::span<const std::byte> piece)>;
  virtual void gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink);
  // Each rank gets what part_of(rank) returns on root, where it is called once for each rank. What it throws is thrown
  // on root; those who had not got their part by then get an empty one. Cost as above.
  using PartOf = base::FunctionRef<std::vector<std::byte>(int rank)>;
  virtual std::vector<std::byte> scatter_parts(const PartOf& part_of, int root);
  // The same at once. On root the contributions in rank order, elsewhere nothing.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root);
  // `parts` (one per rank) matters on root only.
  std::vector<std::byte> scatter(const std::vector<std::vector<std::byte>>& parts, int root);
  // Each rank sends to the ranks it names, at most one message each; returns what was sent here, by sender.
  virtual std::vector<Message> all_to_all(std::vector<Message> outgoing) = 0;
  // Ranks of one colour form a group, ordered by key, then rank. colour < 0: in no group, returns nullptr.
  virtual std::unique_ptr<Comm> split(int colour, int key) = 0;
  // Ranks that may share memory form a group, in the order of their ranks.
  virtual std::unique_ptr<Comm> split_by_node() = 0;

  // Not collective. Messages from one rank to another arrive in the order they were sent; both sides give the same size
  // and channel (0 <= channel < channels). No memory is needed for messages of up to a gibibyte.
  virtual Flight start_send(std::span<const std::byte> bytes, int to, int channel) = 0;
  virtual Flight start_receive(std::span<std::byte> bytes, int from, int channel) = 0;

  // Collective at the first call, which finds out; what the ranks of this rank's node share.
  Node& node();
  // The same on all ranks: whether it has found out.
  bool knows_node() const noexcept { return node_ != nullptr; }

 private:
  friend class Channel;
  std::shared_ptr<Node> node_;
  std::bitset<channels> used_channels_;  // by transfers of this rank
};

// A channel for the messages of a transfer, for as long as this lives. The group outlives it.
class Channel {
 public:
  // Collective. The same number on all ranks, which no transfer that is under way on any of them has. Error(too_large)
  // on all ranks when there is none.
  explicit Channel(Comm& comm);
  // Local. The same with what all ranks have told in an agreement.
  static constexpr std::size_t terms = channels / 64;
  static void tell(const Comm& comm, std::span<Term, terms> used) noexcept;
  Channel(Comm& comm, std::span<const Term, terms> used);
  ~Channel() { comm_.used_channels_.reset(static_cast<std::size_t>(number_)); }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  int number() const noexcept { return number_; }

 private:
  Comm& comm_;
  int number_;
};

// This process alone.
std::unique_ptr<Comm> make_self();

}  // namespace lq::comm
