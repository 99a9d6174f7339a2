// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is behind the opaque handles, and arguments that all ranks must have right.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <limequat/async.hpp>
#include <limequat/grid.hpp>

#include "capi/call.hpp"
#include "options/values.hpp"

struct lq_communicator {
  lq::Communicator communicator;
};

struct lq_grid {
  lq::Grid grid;
};

struct lq_pending {
  lq::Pending pending;
};

namespace lq::capi {

inline Communicator communicator_of(const lq_communicator* handle) {
  return handle == nullptr ? Communicator() : handle->communicator;
}

// The communicator is known before anything that may be wrong on one rank is looked at.
template <class Options>
Communicator group_of(const Options* options) {
  return options == nullptr ? Communicator() : communicator_of(options->communicator);
}

inline const Grid& grid_of(const lq_grid* handle) { return given(handle, "grid")->grid; }

using options::coord_of;

// Collective. The result of make(); when it throws on any rank, all ranks throw, so that a wrong argument on
// one of them leaves none waiting.
template <class Make>
auto agreed(const Communicator& communicator, Make&& make) {
  std::optional<decltype(make())> result;
  std::exception_ptr failure;
  try {
    result.emplace(make());
  } catch (...) {
    failure = std::current_exception();
  }
  communicator.agree(failure);
  return std::move(*result);
}

// Where a new handle goes, and the memory for it: had while the arguments are agreed on, for after that all ranks make
// together what it holds, and none of them may stay away.
template <class Handle>
class Room {
 public:
  Room(Handle** handle, const char* argument)
      : handle_(given(handle, argument)), memory_(::operator new(sizeof(Handle))) {}
  template <class... Parts>
  void fill(Parts&&... parts) {
    Handle* const made = ::new (memory_.get()) Handle{std::forward<Parts>(parts)...};
    static_cast<void>(memory_.release());  // it is the handle's
    *handle_ = made;
  }

 private:
  struct Free {
    void operator()(void* memory) const noexcept { ::operator delete(memory); }
  };
  Handle** handle_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace lq::capi
