// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The NERSC archive format: one gauge field behind a header of text (docs/formats/nersc.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::nersc {

const Format& format();

}  // namespace lq::format::nersc
