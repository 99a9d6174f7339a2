// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// SciDAC files as QIO writes them: any field, any number of dimensions, several fields in a file.
#pragma once

#include "format/format.hpp"

namespace lq::format::scidac {

const Format& format();

}  // namespace lq::format::scidac
