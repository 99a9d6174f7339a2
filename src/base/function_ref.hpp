// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A non-owning reference to a callable. std::function makes a copy, which may need memory.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace lq::base {

template <class Signature>
class FunctionRef;

// Refers to any callable, which must outlive it.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Work>
  requires(!std::is_same_v<std::remove_cvref_t<Work>, FunctionRef> &&
           std::is_invocable_r_v<Result, const Work&, Arguments...>)
      // NOLINTNEXTLINE(google-explicit-constructor): arguments convert implicitly
      FunctionRef(const Work& work)
  noexcept
      : work_(std::addressof(work)), call_([](const void* what, Arguments... arguments) -> Result {
          return (*static_cast<const Work*>(what))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(work_, std::forward<Arguments>(arguments)...); }

 private:
  const void* work_;
  Result (*call_)(const void* what, Arguments... arguments);
};

}  // namespace lq::base
