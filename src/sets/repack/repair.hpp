// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged files and sets made whole, and multifiles written anew: the pieces of lq::repair(), lq::defragment() and
// lq::rewrite() (include/limequat/repack.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <limequat/inspect.hpp>
#include <limequat/repack.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"
#include "format/sion/set.hpp"
#include "format/sion/tail.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// A repair judges what it is given, and what it is about to write, by the examination that lq::verify() makes.

// A file that cannot even be scanned is unreadable or foreign, with the error as a finding. Throws only what cannot be
// read for reasons of the system.
Verification examine(storage::Transport& transport, const std::string& path, const RepackOptions& options);
// `bytes` as the file of the name `path`, which is not written yet.
Verification examine(storage::Transport& transport, base::ByteSource& bytes, const std::string& path,
                     const RepackOptions& options);

// Adds the verdict, and the errors that are not among the findings already. A verdict that is not OK has an error.
void conclude(RepackReport& report, const Verification& examined);
// Of a file that is in order.
RepackReport nothing_to_repair(const Verification& examined);
// Of a file that is not, although nothing can be put right: the error that says why.
[[noreturn]] void refuse_to_repair(const Verification& examined);

// How far the chunks of a file are filled that nobody recorded (formats/sion.md 10): there are the bytes, and the
// length of the file. Nothing of this is certain, and the findings say so.

// `file` has no table; `source` is the file, opened. Data came in multiples of `unit` bytes (at least 1). Throws
// too_large when the file has room for more chunks than a table may have.
format::sion::ChunkTable infer_table(const format::sion::PhysicalFile& file, base::ByteSource& source,
                                     std::uint64_t unit, format::Findings& findings);

// Files of records and fields repaired into new files.

// As lq::repair() for a file of a format that holds no streams.
RepackReport repair_file(storage::Transport& transport, const std::string& from, const std::string& to,
                         const RepackOptions& options);

// Where the repaired file goes. `require` throws where it cannot: asked only where a repair is needed.
struct Target {
  const std::string& path;
  std::function<void()> require;
};
// The same of a file that is open.
RepackReport repair_opened(storage::Transport& transport, base::ByteSource& file, const Target& target,
                           const RepackOptions& options);
// invalid_argument, exists: a repaired file cannot have the name `to`.
void require_target(storage::Transport& transport, const std::string& from, const std::string& to, bool overwrite);
// All bytes of the source as a new file; it is read by several threads.
void write_file(storage::Transport& transport, base::ByteSource& source, const std::string& to,
                const RepackOptions& options);
// What is told of the fields and records of a file.
RepackReport report_of(const Catalog& catalog, const std::string& path, std::uint64_t file_bytes);

// What an append in place left next to a file (io/journal.hpp) is put into it, or removed. Nothing: there was none.
struct Recovered {
  RepackReport report;
  bool is_added_to = false;  // so that it is another file than it was
};
std::optional<Recovered> recover_file(storage::Transport& transport, const std::string& path,
                                      const RepackOptions& options);
// A file that a sidecar with parity protects (docs/formats/parity.md), as it was, into `to`; where it is missing and
// `to` is empty, under its own name. Nothing: no sidecar covers it, or it is not damaged. checksum_mismatch: more is
// damaged than comes back, which the message names; nothing is written.
std::optional<RepackReport> restore(storage::Transport& transport, const std::string& path, const std::string& to,
                                    const RepackOptions& options);
// The files of a set that are complete and have not all got their names (io/replacement.hpp) get them. Nothing: it is
// not so. wrong_state: `to` is another name, which cannot be given.
std::optional<RepackReport> complete_replacement(storage::Transport& transport, const std::string& path,
                                                 const std::string& to, const RepackOptions& options);

// Sets of subfiles (docs/formats/partitions.md) repaired: what is left of the file that they were, as a file, and what
// was left next to them put away.

// As lq::repair(). Nothing: `from` is no description of a set.
std::optional<RepackReport> repair_subfiles(storage::Transport& transport, const std::string& from,
                                            const std::string& to, const RepackOptions& options);

// lq::defragment() and lq::rewrite() on any transport.

// Local.
RepackReport defragment(storage::Transport& transport, const std::string& from, const std::string& to,
                        const RepackOptions& options);
RepackReport rewrite(storage::Transport& transport, const std::string& from, const std::string& to,
                     const RepackOptions& options);
// A set of which physical files are missing: the streams of the others in a new set that says what is missing. Nothing
// where no file is missing, or it cannot be told which tasks were in those that are. invalid_argument: no `to`.
std::optional<RepackReport> rescue(storage::Transport& transport, const std::string& from, const std::string& to,
                                   const RepackOptions& options);

}  // namespace lq::sets
