// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The formats of this module, one line each; their pages are in docs/formats.
#pragma once

#include "format/format.hpp"

// Most specific first.
#define LQ_FORMATS(FORMAT) \
  FORMAT(modes)            \
  FORMAT(ildg)             \
  FORMAT(scidac)           \
  FORMAT(lime)             \
  FORMAT(sion)             \
  FORMAT(nersc)            \
  FORMAT(milc)             \
  FORMAT(fnal)             \
  FORMAT(qlattice)         \
  FORMAT(mod)              \
  FORMAT(eigen_comp)       \
  FORMAT(raw)

// Those without a magic: tried only after all others.
#define LQ_FORMATS_WITHOUT_MAGIC(FORMAT) \
  FORMAT(hirep)                          \
  FORMAT(ddalphaamg)                     \
  FORMAT(openqcd)

namespace lq::format {

#define LQ_DECLARE_FORMAT(NAME) const Format& NAME##_format();
LQ_FORMATS(LQ_DECLARE_FORMAT)
LQ_FORMATS_WITHOUT_MAGIC(LQ_DECLARE_FORMAT)
#undef LQ_DECLARE_FORMAT

}  // namespace lq::format
