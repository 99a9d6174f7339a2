// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Configurations and spinor fields of openQCD (docs/formats/openqcd.md).
#pragma once

#include "format/format.hpp"

namespace lq::format::openqcd {

const Format& format();

}  // namespace lq::format::openqcd
