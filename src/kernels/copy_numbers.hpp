// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of numbers from one precision and byte order to another: the inner loop of packing, once per instruction
// set. All of them give the same bits.
#pragma once

#include <cstddef>

#include <limequat/field.hpp>

namespace lq::kernels {

enum class InstructionSet { baseline, avx2 };

// The best that this machine runs.
InstructionSet best_instruction_set() noexcept;

// Copies `numbers` numbers; neither side needs alignment, and they do not overlap.
using CopyNumbers = void (*)(const std::byte* from, std::byte* to, std::size_t numbers) noexcept;

// A number's type and whether its bytes are in the order that is not the host's.
struct NumberForm {
  Precision precision = Precision::double_;
  bool swap = false;
};

// At most one of the two sides is swapped.
CopyNumbers copy_loop(InstructionSet set, NumberForm from, NumberForm to) noexcept;

// Turns the byte order of numbers where they lie.
using TurnNumbers = void (*)(std::byte* numbers, std::size_t count) noexcept;

TurnNumbers turn_loop(InstructionSet set, Precision precision) noexcept;

}  // namespace lq::kernels
