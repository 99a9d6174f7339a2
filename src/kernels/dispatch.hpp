// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The instruction set of the loops of this module. Chosen at first use: the best that runs here, unless the environment
// variable LQ_FORCE_ISA names another one that runs here. All give bit-identical results.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "kernels/isa/loops.hpp"

namespace lq::kernels {

// From the slowest to the fastest of each processor: x86-64 has pclmul to avx512, AArch64 crc32x and pmull.
enum class InstructionSet { portable, pclmul, vpclmul, avx512, crc32x, pmull };

inline constexpr std::array every_instruction_set = {InstructionSet::portable, InstructionSet::pclmul,
                                                     InstructionSet::vpclmul,  InstructionSet::avx512,
                                                     InstructionSet::crc32x,   InstructionSet::pmull};

std::string_view name(InstructionSet set) noexcept;

// The instruction sets of this machine, from the slowest to the fastest; the first is `portable`.
std::span<const InstructionSet> instruction_sets_here() noexcept;

// The choice for LQ_FORCE_ISA=`forced`: that set if it runs here, else (an unknown name, or none) the best that does.
InstructionSet chosen_instruction_set(std::string_view forced) noexcept;

InstructionSet active_instruction_set() noexcept;

// Name of the active set.
std::string_view instruction_set_name() noexcept;

const isa::Loops& loops_of(InstructionSet set) noexcept;

}  // namespace lq::kernels
