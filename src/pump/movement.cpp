// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "pump/movement.hpp"

#include "base/backoff.hpp"

namespace lq::pump {

void run(Movement& movement) {
  base::Backoff backoff;
  for (;;) {
    switch (movement.step()) {
      case Progress::finished:
        return;
      case Progress::moved:
        backoff.reset();
        break;
      case Progress::waiting:
        backoff.wait();
        break;
    }
  }
}

std::exception_ptr outcome_of(Movement& movement) noexcept {
  try {
    run(movement);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace lq::pump
