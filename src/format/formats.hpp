// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The formats of this room, a row each; their pages are in docs/formats.
#pragma once

#include "format/format.hpp"

namespace lq::format {

const Format& eigen_comp_format();
const Format& fnal_format();
const Format& hirep_format();
const Format& ildg_format();
const Format& lime_format();
const Format& milc_format();
const Format& mod_format();
const Format& modes_format();
const Format& nersc_format();
const Format& openqcd_format();
const Format& qlattice_format();
const Format& raw_format();
const Format& scidac_format();
const Format& sion_format();

}  // namespace lq::format
