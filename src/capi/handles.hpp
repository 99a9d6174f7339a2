// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of opaque handles, and arguments that must be valid on all ranks.
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

// The communicator is determined before anything is checked that may be wrong on one rank.
template <class Options>
Communicator group_of(const Options* options) {
  return options == nullptr ? Communicator() : communicator_of(options->communicator);
}

inline const Grid& grid_of(const lq_grid* handle) { return given(handle, "grid")->grid; }

using options::coord_of;

// Collective. The result of make(); if it throws on any rank, all ranks throw, so that a wrong argument on one of them
// leaves no rank waiting.
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

// The place for a new handle, and its memory: allocated while the arguments are agreed on, because afterwards all ranks
// create its contents together, and none may be missing.
template <class Handle>
class HandleSlot {
 public:
  HandleSlot(Handle** handle, const char* argument)
      : handle_(given(handle, argument)), memory_(::operator new(sizeof(Handle))) {}
  template <class... Parts>
  void fill(Parts&&... parts) {
    Handle* const made = ::new (memory_.get()) Handle{std::forward<Parts>(parts)...};
    static_cast<void>(memory_.release());  // now owned by the handle
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
