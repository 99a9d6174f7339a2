// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What each byte of a physical file means (formats/sion.md).
#pragma once

#include <vector>

#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"

namespace lq::format::sion {

// In order of offset, without gaps, whatever the bytes. Long tables are told in one piece.
std::vector<Annotation> explain(base::ByteSource& file);

}  // namespace lq::format::sion
