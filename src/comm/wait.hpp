// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for a message in flight.
#pragma once

#include "comm/comm.hpp"

namespace lq::comm {

// Local. Until it has arrived, or has been taken.
void wait(Flight& flight);

}  // namespace lq::comm
