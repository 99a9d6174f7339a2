// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a physical file belongs to a set of ours. Any of several marks says so: the record after the header, that
// after metadata block 2, records at the end of chunks. So one that is damaged does not turn a set into a plain
// multifile whose bytes nobody compares, and is made again out of the others. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/byte_source.hpp"
#include "format/sion/set.hpp"
#include "sets/checkpoint/record.hpp"

namespace lq::sets {

struct FoundRecord {
  SetRecord record;
  std::string problem;  // why it was made again; empty: it is as it was written
};
// Nothing: another program wrote the file. malformed: a mark is there, but too little to go by; or the tables of the
// header are not what was written.
std::optional<FoundRecord> find_set_record(base::ByteSource& file, const format::sion::PhysicalFile& physical);

// Where the record after metadata block 2 is, by what the file says of its map; the file has its table.
std::uint64_t tail_record_offset(base::ByteSource& file, const format::sion::PhysicalFile& physical);

}  // namespace lq::sets
