// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Configurations of MILC: versions 1 and 5 of its binary format (docs/formats/milc.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::milc {

const Format& format();

}  // namespace lq::format::milc
