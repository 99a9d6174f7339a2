// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing fields. New files appear under their final name only when they are complete.
#pragma once

#include <limequat/language.hpp>

#include <memory>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// Collective. Writes one field to one new file.
// exists: a file of that name exists and overwrite is off; no_space: before the first byte if the system reports free
// space; ranks_disagree: path, options or field differ between ranks; invalid_argument: too little memory for the local
// sites. On any error no file appears and an existing one stays, except that the new file stays if only the sync of its
// directory fails.
LQ_API Report write(const std::string& path, const Grid& grid, const Field& field, const WriteOptions& options = {});

// Collective. Reads a field into `field`, whatever process grid wrote it; precision is converted.
// invalid_argument: lattice, kind or numbers per site differ from the file's; malformed, truncated: the file is
// damaged; checksum_mismatch: the data differ from those written; no_such_record: no field of that name.
LQ_API Report read(const std::string& path, const Grid& grid, const MutableField& field,
                   const ReadOptions& options = {});

// Collective. Returns the contents of the file. Damage is described in findings, not thrown; throws only not_found,
// no_permission, io and unknown_format.
LQ_API Catalog inspect(const std::string& path, const Communicator& communicator = {}, const Limits& limits = {});

// A file that is open for reading: it is scanned once, and fields are then read without scanning again. Every rank that
// reads opens it once, and keeps reading that file even if another file gets its name in the meantime.
class LQ_API File {
 public:
  // Collective. Errors as inspect().
  explicit File(const std::string& path, const Communicator& communicator = {}, const Limits& limits = {});
  ~File();
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;

  // Local. The contents of the file.
  const Catalog& catalog() const;
  // Collective over the grid, which has all ranks that opened the file. As lq::read(): options.field and options.index
  // select the field; an index without a name counts all fields of the file. `limits` of the options are not used. io:
  // the file was written to and its records have changed, or a rank that reads for the first time finds another file.
  Report read(const Grid& grid, const MutableField& field, const ReadOptions& options = {}) const;
  // Local. The bytes of record number `index` (from 0) of that type. unsupported: streams of a multifile, which
  // MultifileReader reads.
  std::string read_record(std::string_view type, std::uint64_t index = 0) const;
  // Local. The numbers of one site, in the order of the file, without comparing checksums; the field is selected as in
  // read(). invalid_argument: the field has no such site.
  std::vector<double> read_site(const Coord& site, const ReadOptions& options = {}) const;

 private:
  friend struct FileAccess;
  struct State;
  std::unique_ptr<State> state_;
};

// Collective. Same as the constructor.
LQ_API File open(const std::string& path, const Communicator& communicator = {}, const Limits& limits = {});

// Several fields, or records without a lattice, in one new file. Errors surface in close(); an abandoned
// writer leaves no file.
class LQ_API Writer {
 public:
  // Collective. `defaults` are the options of the file (format, overwrite, sync, verify) and of each field.
  Writer(const std::string& path, const Grid& grid, const WriteOptions& defaults = {});
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  // Collective. Appends a field; `metadata` is added to the metadata of the defaults.
  Report write(const std::string& name, const Field& field, const Metadata& metadata = {});
  // Collective. Appends a record of text or bytes; the contents of rank 0 are written.
  void write_record(const std::string& type, std::string_view contents);
  // Collective. Completes, syncs and publishes the file.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Collective. Same as the constructor.
LQ_API Writer create(const std::string& path, const Grid& grid, const WriteOptions& defaults = {});

}  // namespace lq
