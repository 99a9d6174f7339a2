// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The file with the fields of a set while it is written, and fields of a set in transit to another set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "base/byte_source.hpp"
#include "comm/comm.hpp"
#include "sets/checkpoint/record.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// The file with the fields of a set while it is written: one message per field, each complete and being written to
// disk before the next begins. The set renames the file.
class FieldsWriter {
 public:
  // Existing contents.
  struct Start {
    std::string name;  // final name of the file: NAME.fields
    std::string at;    // its present name; it exists
    std::uint64_t end = 0;
    std::set<std::string> names;
    friend auto members(Start& start) { return std::tie(start.name, start.at, start.end, start.names); }
  };

  // Local. All arguments are the same on all ranks.
  FieldsWriter(storage::Transport& transport, const Communicator& communicator, const Generation& generation, Sync sync,
               Start start);

  // Collective. As MultifileWriter::write_field().
  Report write(const std::string& name, const Grid& grid, const Field& field, const WriteOptions& options);
  // Collective. No more fields are written.
  void finish();

  const std::string& at() const noexcept { return at_; }
  const std::string& name() const noexcept { return name_; }
  std::uint64_t fields() const noexcept { return names_.size(); }

 private:
  void require_writable(const std::string& name, const Grid& grid, const WriteOptions& options) const;
  void cut_off_what_failed();

  storage::Transport& transport_;
  Communicator communicator_;
  Generation generation_;
  Sync sync_;
  std::string name_, at_;
  std::uint64_t end_ = 0;
  std::set<std::string> names_;
  Extents lattice_;  // of the previous field
  bool has_failed_ = false;
};

// Local. An empty file for the first fields of the set `path`. exists: there is a NAME.fields of a set that
// must not be replaced, or to none.
FieldsWriter::Start create_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                                  bool overwrite);
// Local. The file of a set with the given number of fields, for appending after the last of them. malformed: some are
// missing.
FieldsWriter::Start behind_fields(storage::Transport& transport, const std::string& path, const Generation& generation,
                                  std::uint64_t fields);
// Fields of a set in transit to another set, or to a separate file: their messages are copied verbatim
// except for the generation in their notes. Damaged fields are not copied. Local.

// Receives the number of copied bytes.
using BytesCopied = std::function<void(std::uint64_t bytes)>;

// Copies bytes of `source`, read twice and compared, to `offset`; returns the end of the copy. io: the two reads
// differed; truncated: the file has become shorter.
std::uint64_t copy_bytes(base::ByteSource& source, const ByteInterval& from, storage::File& to, std::uint64_t offset,
                         const BytesCopied& copied);

class CopiedFields {
 public:
  CopiedFields() = default;  // none
  // Checks the fields of a set; with FieldData::left_out damage to their data is not detected. Throws errors that make
  // them unreadable: io, no_permission.
  CopiedFields(storage::Transport& transport, const FoundSet& found, FieldData data);
  // The same; damage is confirmed by a second look before a field is omitted.
  static CopiedFields examine_twice(storage::Transport& transport, const FoundSet& found, FieldData data);

  // Number of intact fields.
  std::size_t count() const noexcept { return sound_.size(); }
  std::string_view name(std::size_t index) const noexcept { return field(index).note.name; }
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  std::uint64_t bytes() const noexcept;
  std::uint64_t bytes(std::size_t index) const noexcept;
  // The reasons why others are missing.
  const std::vector<ChunkDamage>& damage() const noexcept { return checked_.damage; }

  // Writes all of them into an empty file, as fields of a set of that generation.
  void write(storage::File& to, const Generation& generation, const BytesCopied& copied) const;
  // Compares the data of one field with their checksum: checksum_mismatch.
  void require_sound(std::size_t index, storage::Transport& transport) const;
  // Writes one field into an empty file, as an ordinary SciDAC file.
  void write_one(std::size_t index, storage::File& to) const;

 private:
  const SetField& field(std::size_t index) const noexcept { return checked_.fields.intact[sound_[index]]; }

  CheckedFields checked_;
  std::vector<std::size_t> sound_;  // of the intact ones
  std::shared_ptr<storage::File> file_;
};

}  // namespace lq::sets
