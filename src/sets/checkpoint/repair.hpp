// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Completes interrupted sets, and checks complete ones. Local.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>

#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/checkpoint/stream.hpp"
#include "storage/transport.hpp"

namespace lq::io {
class ScannedFile;
}

namespace lq::sets {

MultifileCheck verify(storage::Transport& transport, const std::string& path, int threads);
// Collective. As lq::verify(), for a file of `transport`, ignoring its sidecar with parity.
LQ_INNER Verification verify_own(storage::Transport& transport, const std::string& path,
                                 const Communicator& communicator, const VerifyOptions& options);
// Collective. As lq::verify(), for a file of `transport`, which also says whether there is a sidecar.
LQ_INNER Verification verify_file(storage::Transport& transport, const std::string& path,
                                  const Communicator& communicator, const VerifyOptions& options);
// Local. The same for a file that this process alone has scanned before.
LQ_INNER Verification verify_scanned(storage::Transport& transport, const std::string& path,
                                     const VerifyOptions& options, const std::shared_ptr<io::ScannedFile>& scanned);
// The fields of a set, and its missing ones.
CheckedFields check_fields(storage::Transport& transport, const FoundSet& found, FieldData data);
// Adds the results for its fields.
void verify_fields(storage::Transport& transport, const FoundSet& found, MultifileCheck& check);

// Describes a chunk that differs from its table and record.
using ChunkWords = base::FunctionRef<std::string(const StreamPlace& place, std::uint64_t chunk, std::uint64_t stated,
                                                 const Error& error)>;
inline constexpr auto words_of_error = [](const StreamPlace&, std::uint64_t, std::uint64_t, const Error& error) {
  return std::string(error.what());
};
// Compares the chunks of all files that have their tables, adds damage in the order of tasks, and returns the number
// of chunks with a record. `threads` as for verify_multifile().
std::uint64_t check_streams(const FoundSet& found, const std::shared_ptr<OpenFiles>& files, int threads,
                            ChunkWords words, std::vector<ChunkDamage>& damage);

// For a set that needs no closing: whether its chunks and fields are examined, or the caller verifies it.
enum class ClosedSet { examined, verified_by_caller };
RepairReport repair(storage::Transport& transport, const std::string& path, const RepairOptions& options,
                    ClosedSet closed = ClosedSet::examined);

// Facts of a file about its chunks, in addition to their records.
struct KnownOfFile {
  bool was_closed = false;                          // so that every byte of a chunk had a record
  std::uint64_t blocks = 0;                         // of chunks, at the last closing; 0: unknown
  std::uint64_t tail_offset = 0;                    // end of the blocks
  const format::sion::ChunkTable* table = nullptr;  // which was changed
  std::optional<std::uint32_t> table_sum;           // CRC-32 of the original one
};

// The chunks of a task from their records, each compared with its bytes.
struct RecoveredTask {
  std::vector<std::int64_t> used;  // at least one; 0 after a gap, up to the last chunk with data
  std::uint64_t bytes = 0;         // of the stream
  std::uint64_t chunks = 0;        // filled ones
  std::vector<ChunkDamage> lost, unfinished;
  std::optional<StreamLoss> loss;  // all that is lost, as stored in the set
  bool may_go_on = false;          // as far as its last chunk shows
};
RecoveredTask recover_task(base::ByteSource& file, const SetRecord& set, const StreamPlace& place,
                           const KnownOfFile& known);
// Describes a changed chunk; `stated`: its bytes in the table of chunks.
std::string describe_damage(base::ByteSource& file, const SetRecord& set, const StreamPlace& place, std::uint64_t chunk,
                            std::uint64_t stated);

}  // namespace lq::sets
