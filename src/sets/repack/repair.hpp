// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Repairs damaged files and sets, and rewrites multifiles: parts of lq::repair(), lq::defragment() and
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

// A repair judges its input, and its output before writing it, by the examination of lq::verify().

// A file that cannot even be scanned is unreadable or foreign, with the error as a finding. Throws only if the system
// prevents reading.
Verification examine(storage::Transport& transport, const std::string& path, const RepackOptions& options);
// `bytes` as the file of the name `path`, which is not written yet.
Verification examine(storage::Transport& transport, base::ByteSource& bytes, const std::string& path,
                     const RepackOptions& options);

// Adds the verdict, and errors that are not yet among the findings. A verdict that is not OK has an error.
void conclude(RepackReport& report, const Verification& examined);
// For an intact file.
RepackReport nothing_to_repair(const Verification& examined);
// For a faulty file that cannot be repaired: throws the error with the reason.
[[noreturn]] void refuse_to_repair(const Verification& examined);

// How full the chunks of a file are without records (formats/sion.md 10): derived from the bytes and the
// length of the file. None of this is certain, and the findings say so.

// `file` has no table; `source` is the open file. Data came in multiples of `unit` bytes (at least 1). Throws
// too_large if the file can contain more chunks than a table may have.
format::sion::ChunkTable infer_table(const format::sion::PhysicalFile& file, base::ByteSource& source,
                                     std::uint64_t unit, format::Findings& findings);

// Files of records and fields repaired into new files.

// As lq::repair() for a file of a format without streams.
RepackReport repair_file(storage::Transport& transport, const std::string& from, const std::string& to,
                         const RepackOptions& options);

// The path of the repaired file. `require` throws if it cannot be written: called only if a repair is needed.
struct Target {
  const std::string& path;
  std::function<void()> require;
};
// The same for an open file.
RepackReport repair_opened(storage::Transport& transport, base::ByteSource& file, const Target& target,
                           const RepackOptions& options);
// invalid_argument, exists: `to` is not allowed for a repaired file.
void require_target(storage::Transport& transport, const std::string& from, const std::string& to, bool overwrite);
// All bytes of the source as a new file; it is read by several threads.
void write_file(storage::Transport& transport, base::ByteSource& source, const std::string& to,
                const RepackOptions& options);
// The report on the fields and records of a file.
RepackReport report_of(const Catalog& catalog, const std::string& path, std::uint64_t file_bytes);

// Applies or removes what an append in place left next to a file (io/journal.hpp). Empty: there was nothing.
struct Recovered {
  RepackReport report;
  bool is_added_to = false;  // so that the file has changed
};
std::optional<Recovered> recover_file(storage::Transport& transport, const std::string& path,
                                      const RepackOptions& options);
// Restores a file protected by a sidecar with parity (docs/formats/parity.md) into `to`; if it is missing and
// `to` is empty, under its own name. Empty: no sidecar covers it, or it is intact. checksum_mismatch: more is
// damaged than can be restored, which the message names; nothing is written.
std::optional<RepackReport> restore(storage::Transport& transport, const std::string& path, const std::string& to,
                                    const RepackOptions& options);
// Renames the files of a set that are complete and not all renamed (io/replacement.hpp). Empty: there are
// none. wrong_state: `to` is another name, which is not possible.
std::optional<RepackReport> complete_replacement(storage::Transport& transport, const std::string& path,
                                                 const std::string& to, const RepackOptions& options);

// Repairs sets of subfiles (docs/formats/partitions.md): writes the remaining data of the file as one file, and
// removes leftovers next to them.

// As lq::repair(). Empty: `from` is not a description of a set.
std::optional<RepackReport> repair_subfiles(storage::Transport& transport, const std::string& from,
                                            const std::string& to, const RepackOptions& options);

// lq::defragment() and lq::rewrite() on any transport.

// Local.
RepackReport defragment(storage::Transport& transport, const std::string& from, const std::string& to,
                        const RepackOptions& options);
RepackReport rewrite(storage::Transport& transport, const std::string& from, const std::string& to,
                     const RepackOptions& options);
// A set with missing physical files: writes the streams of the others to a new set that records the losses. Empty
// if no file is missing, or the tasks of the missing files are unknown. invalid_argument: no `to`.
std::optional<RepackReport> rescue(storage::Transport& transport, const std::string& from, const std::string& to,
                                   const RepackOptions& options);

}  // namespace lq::sets
