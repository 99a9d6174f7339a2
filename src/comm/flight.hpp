// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A message on its way, as a value that holds all it needs: a rank that others wait for starts messages without asking
// for memory.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace lq::comm {

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

}  // namespace lq::comm
