// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of Qlattice: a header of text, then numbers (docs/formats/qlattice.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::qlattice {

const Format& format();

}  // namespace lq::format::qlattice
