// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Local files of openQCD 2.4 (formats/openqcd.md 9) as they are written: one for each of its processes.
#pragma once

#include "format/format.hpp"
#include "format/parts.hpp"

namespace lq::format::openqcd {

// Whether they are asked for. invalid_argument: a layout is that nobody knows.
bool is_local(const FieldRequest& request);

// Of a gauge field. invalid_argument: the process grid is not told. unsupported: the order of points is none that is
// written.
Layout plan_local(const FieldRequest& request);

}  // namespace lq::format::openqcd
