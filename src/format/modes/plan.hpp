// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What bytes go where for a new set of modes, and for one mode more.
#pragma once

#include "format/format.hpp"
#include "format/modes/index.hpp"

namespace lq::format::modes {

// The bytes of a set without modes: all but the zeros of its index, up to `end`.
struct NewSet {
  std::vector<Literal> literals;
  std::uint64_t end = 0;
  PlacedBlock block;
};
// `unproven`: what repairs have said of the set that it is made from.
NewSet plan_set(const Description& description, const std::vector<std::string>& unproven = {});

// A mode after those that are there, or the first one of a new set.
Layout plan_mode(const FieldRequest& request);

}  // namespace lq::format::modes
