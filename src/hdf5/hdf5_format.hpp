// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "format/format.hpp"

namespace lq::hdf5 {

const format::Format& format();

}  // namespace lq::hdf5
