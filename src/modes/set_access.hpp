// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What conversion needs of a set beyond its interface.
#pragma once

#include <limequat/modes.hpp>

#include "modes/source.hpp"

namespace lq::modes {

struct SetAccess {
  // nullptr: a set of modes.
  static const modes::Source* foreign(const Set& set);
};

}  // namespace lq::modes
