// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 128 bits at a time: PCLMULQDQ, SSSE3, SSE4.1. x86-64 of 2010 and later.
#include "kernels/isa/loops.hpp"

#if defined(LQ_X86_64)
#include "kernels/isa/lane128.hpp"

namespace lq::kernels::isa {

constinit const Loops pclmul_loops = loops_of<Lane128>();

}  // namespace lq::kernels::isa
#endif
