// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a multifile that can be read says of itself that is odd (formats/sion.md 9).
#pragma once

#include "format/findings.hpp"
#include "format/sion/set.hpp"

namespace lq::format::sion {

void check_set(const Set& set, Findings& findings);

}  // namespace lq::format::sion
