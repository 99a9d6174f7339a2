// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/inner.hpp"

namespace lq::comm {

// Local. How many cores the calling thread may run on; for who shares them with no other rank (comm/node.hpp).
LQ_INNER int usable_cores() noexcept;
// So many threads; 0: one for each of these cores.
inline int or_usable_cores(int asked) noexcept { return asked > 0 ? asked : usable_cores(); }

}  // namespace lq::comm
