// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes copied into memory that nobody reads soon. Stores fetch the cache line that they go to, which costs as much as
// they do themselves; whole lines can be written without.
#pragma once

#include "kernels/dispatch.hpp"

namespace lq::kernels {

// Its loops are null where that is not possible, or was slower than stores are.
inline const isa::AroundCaches& around_caches() noexcept { return loops_of(active_instruction_set()).around; }

}  // namespace lq::kernels
