// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For waits that cannot end early, such as those of collective operations: the program is still polled, because its
// check may have to tell other ranks.
#pragma once

#include "base/inner.hpp"

namespace lq::base {

// Local. Polls the program as is_interrupted() does; the call notices the result after the wait.
LQ_INNER void poll_for_interruption() noexcept;

}  // namespace lq::base
