// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of numbers from one precision and byte order to another: the inner loop of packing, once per instruction
// set. All of them give the same bits.
#pragma once

#include <limequat/field.hpp>

#include "kernels/dispatch.hpp"

namespace lq::kernels {

// A number's type and whether its bytes are in the order that is not the host's.
struct NumberForm {
  Precision precision = Precision::double_;
  bool swap = false;
};

// 0 and 1, as the arrays of isa::Loops count.
constexpr std::size_t index_of(Precision precision) noexcept { return precision == Precision::single ? 0 : 1; }

// At most one of the two sides is swapped.
inline isa::CopyNumbers copy_loop(InstructionSet set, NumberForm from, NumberForm to) noexcept {
  const std::size_t swapped_side = from.swap == to.swap ? 0 : from.swap ? 1 : 2;
  return loops_of(set).copy[index_of(from.precision)][index_of(to.precision)][swapped_side];
}

inline isa::TurnNumbers turn_loop(InstructionSet set, Precision precision) noexcept {
  return loops_of(set).turn[index_of(precision)];
}

}  // namespace lq::kernels
