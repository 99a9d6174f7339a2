// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// ILDG files: one gauge field in four dimensions, with the SciDAC records that QIO needs around it.
#pragma once

#include "format/format.hpp"

namespace lq::format::ildg {

const Format& format();

}  // namespace lq::format::ildg
