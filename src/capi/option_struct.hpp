// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Structs that may grow: the caller says how large the struct it was compiled with is, and both sides use
// what they both know.
#pragma once

#include <algorithm>
#include <cstring>

#include "capi/failure.hpp"

namespace lq::capi {

inline constexpr std::size_t largest_struct = 4096;  // above this a size is not a size but garbage

// The body of every init function; `make` returns the struct with these.
template <class Options>
lq_status init_options(Options* options, std::size_t struct_size, Options (*make)()) noexcept {
  return guarded([&] {
    given(options, "options");
    if (struct_size < sizeof(std::size_t) || struct_size > largest_struct) {
      reject("struct_size is " + std::to_string(struct_size) + ", expected sizeof(the struct)");
    }
    Options defaults = make();
    defaults.struct_size = struct_size;
    std::memset(static_cast<void*>(options), 0, struct_size);
    std::memcpy(static_cast<void*>(options), &defaults, std::min(struct_size, sizeof(Options)));
  });
}

// The options given, or the defaults for NULL. Members that the caller's version lacks have their defaults;
// members that this version lacks must be 0.
template <class Options>
Options given_options(const Options* options, Options defaults) {
  if (options == nullptr) return defaults;
  const std::size_t size = options->struct_size;
  if (size < sizeof(std::size_t) || size > largest_struct) {
    reject("struct_size of the options is " + std::to_string(size) + ": call the init function first");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(options);
  if (size > sizeof(Options) && std::any_of(bytes + sizeof(Options), bytes + size, [](auto b) { return b != 0; })) {
    throw Error(Code::unsupported, "the options use members that library " + std::string(version()) + " does not know");
  }
  std::memcpy(static_cast<void*>(&defaults), options, std::min(size, sizeof(Options)));
  return defaults;
}

}  // namespace lq::capi
