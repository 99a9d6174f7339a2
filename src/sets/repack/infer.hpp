// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How far the chunks of a file are filled that nobody recorded (formats/sion.md 10): there are the bytes, and the
// length of the file. Nothing of this is certain, and the findings say so.
#pragma once

#include <cstdint>

#include "base/byte_source.hpp"
#include "format/findings.hpp"
#include "format/sion/set.hpp"
#include "format/sion/tail.hpp"

namespace lq::sets {

// `file` has no table; `source` is the file, opened. Data came in multiples of `unit` bytes (at least 1). Throws
// too_large when the file has room for more chunks than a table may have.
format::sion::ChunkTable infer_table(const format::sion::PhysicalFile& file, base::ByteSource& source,
                                     std::uint64_t unit, format::Findings& findings);

}  // namespace lq::sets
