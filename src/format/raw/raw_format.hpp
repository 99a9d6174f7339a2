// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers without a header, beside a text that says what they are (formats/raw.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::raw {

const Format& format();

}  // namespace lq::format::raw
