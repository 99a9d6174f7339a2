// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Configurations of HiRep (docs/formats/hirep.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::hirep {

const Format& format();

}  // namespace lq::format::hirep
