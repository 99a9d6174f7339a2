// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 256 bits at a time: AVX2 and VPCLMULQDQ. AMD from Zen 3, Intel from Alder Lake.
#include "kernels/isa/loops.hpp"

#if defined(LQ_X86_64)
#include "kernels/isa/vector256.hpp"

namespace lq::kernels::isa {

constinit const Loops vpclmul_loops = loops_of<Vector256>();

}  // namespace lq::kernels::isa
#endif
