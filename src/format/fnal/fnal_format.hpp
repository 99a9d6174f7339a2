// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in the format that FNAL and MILC share (docs/formats/fnal.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::fnal {

const Format& format();

}  // namespace lq::format::fnal
