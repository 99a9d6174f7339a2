// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Metadata blocks of a physical file, written and read whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sion/geometry.hpp"
#include "format/sion/head.hpp"
#include "format/sion/tail.hpp"
#include "transport/transport.hpp"

namespace lq::multifile {

// Throws Error(too_large) where the chunks of all tasks add up to more than 2^63 - 1 bytes.
void require_sum(const std::vector<std::int64_t>& widths);

// Metadata block 2, then where it is in block 1: a file whose writer dies in between is unclosed, not damaged.
void write_tail(transport::File& file, const format::sion::Head& head, const format::sion::Tail& tail,
                std::int64_t unused = 0);
// The same of a header whose tables are not at hand any more.
struct DataPlace {
  std::uint64_t start = 0;  // of the first chunk
  std::uint64_t skip = 0;   // from a block to the next
};
void write_tail(transport::File& file, const format::sion::FixedHead& head, const DataPlace& place,
                const format::sion::Tail& tail, std::int64_t unused = 0);

struct Metadata {
  std::string path;
  format::sion::Head head;
  format::sion::Geometry geometry;
  format::sion::Tail tail;
};

// Throws Error: what reading throws; truncated for a file that was not closed.
Metadata read_metadata(transport::Transport& transport, const std::string& path);

}  // namespace lq::multifile
