// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See wait.hpp.
#include "comm/wait.hpp"

#include "base/backoff.hpp"

namespace lq::comm {

void wait(Flight& flight) {
  base::Backoff backoff;
  while (!flight.is_done()) backoff.wait();
}

}  // namespace lq::comm
