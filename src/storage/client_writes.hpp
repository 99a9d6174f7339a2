// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lq::storage {

// How ranks that reach a file by one mount write to it: side by side; one after the other, for the kernel holds the
// file while FUSE answers; so, and slower than one of them for all, even where each has much.
enum class ClientWrites { at_once, in_turn, best_by_one };

}  // namespace lq::storage
