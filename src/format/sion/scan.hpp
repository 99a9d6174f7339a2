// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of a multifile as a catalog: a record for each logical file, "task.N", and in
// key-value mode one for each key of a task, "task.N.key.K"; its irregularities; and the meaning of each byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "format/findings.hpp"
#include "format/format.hpp"
#include "format/sion/set.hpp"

namespace lq::format::sion {

// The records that Limequat's own interface adds to the format, as far as they are shown to users
// (formats/sion-records.md). Module sets/checkpoint writes and checks them.

inline constexpr std::size_t own_record_bytes = 64;
inline constexpr std::uint64_t own_chunk_end = 2 * own_record_bytes;  // of a chunk's width, taken by two records

struct OwnRecord {
  std::string name;   // "set record"
  std::string value;  // "file 0 of 3 tasks, ..."
  const char* section = nullptr;
  bool is_tail = false;
  bool compressed = false;   // never stated by a tail record
  std::uint64_t losses = 0;  // of a tail record: number of 32-byte entries after the sizes of streams
};
inline constexpr std::uint64_t own_loss_bytes = 32;
// Describes one of these.
std::string own_loss(base::Bytes bytes);

// Empty unless the bytes begin like one of them and have its length.
std::optional<OwnRecord> own_record(base::Bytes bytes);

std::string record_name(std::int32_t task);
std::string record_name(std::int32_t task, std::uint64_t key);

// The task and key of a record name.
struct RecordName {
  std::int32_t task = 0;
  std::optional<std::uint64_t> key;
};
std::optional<RecordName> parse_record_name(std::string_view name) noexcept;

// Complete sets and the rest of others. Damage becomes findings.
Catalog scan(base::ByteSource& file, const Limits& limits);
// The positions of a record's bytes. Throws the errors of opening the set.
std::vector<RecordPiece> record_pieces(base::ByteSource& file, const RecordName& record);

// The bytes of a file of the set; valid until the next call.
using SourceOf = std::function<base::ByteSource&(const PhysicalFile&)>;
// Adds irregularities of a readable multifile (formats/sion.md 9).
void check_set(const Set& set, const SourceOf& source_of, Findings& findings);

// The meaning of each byte of a physical file, in order of offset, without gaps, for any bytes. Long tables are one
// entry.
std::vector<Annotation> explain(base::ByteSource& file);

// The set that a file belongs to, opened through the file.
Set open_set(base::ByteSource& file, const SetOptions& options);

}  // namespace lq::format::sion
