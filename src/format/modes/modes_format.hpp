// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes as a format (formats/modes.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::modes {

const Format& format();

}  // namespace lq::format::modes
