// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a multifile says of itself. What is in it, as a catalog: a record for each logical file, "task.N", and in
// key-value mode one for each key of a task, "task.N.key.K"; what is odd about it; and what each byte means.
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

// The records that Limequat's own interface keeps beside the format, as far as they are told to people
// (formats/sion-records.md). Whether they are right is for src/checkpoint, which writes and checks them.

inline constexpr std::size_t own_record_bytes = 64;
inline constexpr std::uint64_t own_chunk_end = 2 * own_record_bytes;  // of a chunk's width, which two records take

struct OwnRecord {
  std::string name;   // "set record"
  std::string value;  // "file 0 of 3 tasks, ..."
  const char* section = nullptr;
  bool is_tail = false;
  bool compressed = false;   // never said by a tail record
  std::uint64_t losses = 0;  // of a tail record: how many of 32 bytes follow, after the sizes of streams
};
inline constexpr std::uint64_t own_loss_bytes = 32;
// One of these, in words.
std::string own_loss(base::Bytes bytes);

// Nothing unless the bytes begin as one of them and are as long.
std::optional<OwnRecord> own_record(base::Bytes bytes);

std::string record_name(std::int32_t task);
std::string record_name(std::int32_t task, std::uint64_t key);

// The task and key that a name of a record stands for.
struct RecordName {
  std::int32_t task = 0;
  std::optional<std::uint64_t> key;
};
std::optional<RecordName> parse_record_name(std::string_view name) noexcept;

// Whole sets and what is left of others. Damage becomes findings.
Catalog scan(base::ByteSource& file, const Limits& limits);
// Where the bytes of a record lie. Throws what opening the set throws.
std::vector<RecordPiece> record_pieces(base::ByteSource& file, const RecordName& record);

// The bytes of a file of the set; valid until the next call.
using SourceOf = std::function<base::ByteSource&(const PhysicalFile&)>;
// Adds what is odd about a multifile that can be read (formats/sion.md 9).
void check_set(const Set& set, const SourceOf& source_of, Findings& findings);

// What each byte of a physical file means, in order of offset, without gaps, whatever the bytes. Long tables are told
// in one piece.
std::vector<Annotation> explain(base::ByteSource& file);

// The set that a file belongs to, opened through the file.
Set open_set(base::ByteSource& file, const SetOptions& options);

}  // namespace lq::format::sion
