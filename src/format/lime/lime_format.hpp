// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// LIME files as such: records and messages, no lattice.
#pragma once

#include "format/format.hpp"

namespace lq::format::lime {

const Format& format();

}  // namespace lq::format::lime
