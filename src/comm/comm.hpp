// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communication that the library needs: nine collective operations, messages in flight between two ranks, and
// groups that share memory. A failure of the message layer is Error(communication). Buffers may exceed 2 GiB. A rank
// that has no memory for its part of a collective operation nevertheless completes it, so that no rank waits, and
// throws std::bad_alloc at the end. Call operations that return more than numbers inside agree().
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

// A message in flight, as a value that holds all it needs: a rank on which others wait starts messages without
// allocating memory.

// Its bytes must stay valid until it is done; destroy it only then.
class Flight {
 public:
  Flight() = default;  // no message
  // `state`: an implementation's state of a message, with bool is_done().
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
    void (*move)(void* from, void* to) noexcept;  // and destroys the source
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

// Local. Waits until the message has arrived, or has been received.
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

// A number of this rank, and how it is combined with those of the other ranks.
struct Term {
  std::uint64_t value = 0;
  Reduce operation = Reduce::max;
};

// Bytes for one rank, or from one rank.
struct Message {
  int rank = 0;
  std::vector<std::byte> bytes;
};

// The maximum of seconds, which are not negative, so that their bits have the same order.
inline Term seconds_term(double seconds) noexcept { return {std::bit_cast<std::uint64_t>(seconds), Reduce::max}; }
inline double seconds_of(const Term& term) noexcept { return std::bit_cast<double>(term.value); }

class Node;

// Channels separate messages that are in flight at the same time. Those of collective operations, which every rank
// finishes in order, are fixed; the others are for Channel.
inline constexpr int tree_channel = 0, feeding_channel = 1, passing_channel = 2, turn_channel = 3;
inline constexpr int first_transfer_channel = 4;
inline constexpr int channels = 1024;

// Exported, because other libraries (the MPI component) call its non-virtual functions.
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
  // The same in one operation for numbers with individual operations, which are the same on all ranks.
  virtual void combine(std::span<Term> terms);
  // The contributions of all ranks are concatenated and passed to `sink` on root, in pieces: first root's, then those
  // of the ranks after it, then those of rank 0 and so on. Sizes may differ. An exception of sink is thrown on root
  // when all data have arrived; sink is not called again. The number of steps grows with the logarithm of the group;
  // memory is bounded.
  using Sink = base::FunctionRef<void(std::span<const std::byte> piece)>;
  virtual void gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink);
  // Each rank gets the result of part_of(rank), called once for each rank on root. An exception of it is thrown on
  // root; ranks that had not received their part by then get an empty one. Cost as above.
  using PartOf = base::FunctionRef<std::vector<std::byte>(int rank)>;
  virtual std::vector<std::byte> scatter_parts(const PartOf& part_of, int root);
  // The same in a single call. Contributions in rank order on root, nothing elsewhere.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root);
  // `parts` (one per rank) is used on root only.
  std::vector<std::byte> scatter(const std::vector<std::vector<std::byte>>& parts, int root);
  // Each rank sends at most one message to each rank it names; returns the messages received here, by sender.
  virtual std::vector<Message> all_to_all(std::vector<Message> outgoing) = 0;
  // Ranks of one colour form a group, ordered by key, then rank. colour < 0: in no group; returns nullptr.
  virtual std::unique_ptr<Comm> split(int colour, int key) = 0;
  // Ranks that may share memory form a group, in the order of their ranks.
  virtual std::unique_ptr<Comm> split_by_node() = 0;

  // Not collective. Messages from one rank to another arrive in the order they were sent; both sides pass the same size
  // and channel (0 <= channel < channels). Messages of up to a gibibyte need no memory.
  virtual Flight start_send(std::span<const std::byte> bytes, int to, int channel) = 0;
  virtual Flight start_receive(std::span<std::byte> bytes, int from, int channel) = 0;

  // Collective at the first call, which determines what the ranks of this node share.
  Node& node();
  // The same on all ranks: true after the first call of node().
  bool knows_node() const noexcept { return node_ != nullptr; }

 private:
  friend class Channel;
  std::shared_ptr<Node> node_;
  std::bitset<channels> used_channels_;  // in use by transfers of this rank
};

// A channel for the messages of a transfer, reserved while this exists. The group must outlive it.
class Channel {
 public:
  // Collective. The same number on all ranks, not used by a transfer in progress on any of them. Error(too_large) on
  // all ranks if none is free.
  explicit Channel(Comm& comm);
  // Local. The same with values that all ranks contributed to an agreement.
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

// A group of this process alone.
std::unique_ptr<Comm> make_self();

}  // namespace lq::comm
