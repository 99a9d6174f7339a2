// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// 256 bits at a time: AVX2 and VPCLMULQDQ. AMD from Zen 3, Intel from Alder Lake.
#include "kernels/isa/loops.hpp"

#if defined(LQ_X86_64)
#include "kernels/isa/hash_loops.hpp"
#include "kernels/isa/vector256.hpp"

namespace lq::kernels::isa {

namespace {

constexpr Loops hashing_loops() noexcept {
  Loops loops = loops_of<Vector256>();
  loops.hash = hash_stripes<Vector256>;
  return loops;
}

}  // namespace

constinit const Loops vpclmul_loops = hashing_loops();

}  // namespace lq::kernels::isa
#endif
