// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of SIONlib: logical files of many tasks in one or several physical files, no lattice.
#pragma once

#include "format/format.hpp"

namespace lq::format::sion {

const Format& format();

}  // namespace lq::format::sion
