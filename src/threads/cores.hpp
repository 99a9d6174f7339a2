// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lq::threads {

// Local. How many cores the calling thread may run on; for who shares them with no other rank (comm/node.hpp).
int usable_cores() noexcept;

}  // namespace lq::threads
