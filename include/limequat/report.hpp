// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a transfer did: bytes, seconds per step, checksum.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/file_system.hpp>
#include <limequat/lattice.hpp>
#include <limequat/options.hpp>
#include <limequat/sums.hpp>

namespace lq {

enum class ChecksumStatus {
  ok,         // stored and equal
  absent,     // the file stores none
  mismatch,   // stored and different
  unchecked,  // not compared: not asked for, or the region is not covered by a stored checksum
};
LQ_API std::string_view name(ChecksumStatus status) noexcept;

// Seconds of the slowest rank in each step.
struct StepSeconds {
  double open = 0;      // until the first site moves: headers read, or a new file planned and made; the file opened
  double pack = 0;      // site order, precision, byte order, checksum
  double exchange = 0;  // between ranks: agreement and reduction of checksums
  double storage = 0;   // write or read
  double reserve = 0;   // storage taken before the data are written, where the file system gains by it
  double sync = 0;      // sync, rename
  double total = 0;     // the whole call
};

// Sites of a gauge field whose numbers are all zero: no SU(N) matrix, but what lost writes leave behind.
struct ZeroRegion {
  std::uint64_t sites = 0;
  std::uint64_t first_offset = 0;  // byte in the file of the first such site
  std::uint64_t last_offset = 0;   // byte behind the last such site
};

// Where the file lies, and what was done about that.
struct LQ_API StorageReport {
  std::string file_system;        // FileSystem::name; empty: not known
  std::uint64_t block_bytes = 0;  // block or stripe, which two writers do not share; 0: not known
  bool single_owner = false;      // two writers in one block would lose bytes: each has one writer, who syncs
  Stripes stripes;                // of a new file
  std::uint64_t ranks = 0;        // that touched the file
  std::uint64_t call_bytes = 0;   // that a call of a rank moved at most; 0: not known

  // "on lustre, stripes: 8 of 1 MiB, set by the size of the file; 32 ranks at the file"; empty where there are none,
  // and any rank may write anywhere.
  std::string summary() const;
};

// Who turned sites in the memory of GPUs into bytes of the file, or back. Both numbers are 0 where there were none.
struct LQ_API DeviceReport {
  std::uint64_t computing_ranks = 0;  // whose GPU did
  std::uint64_t copying_ranks = 0;    // whose host did, out of blocks copied from the GPU, or into them
  std::string reason;                 // why the host did, on the first of these: what the compiler said, for example

  // "a GPU computed on 4 ranks", "the host computed on 1 rank: ..."; empty where there are none.
  std::string summary() const;
};

struct LQ_API Report {
  std::string path;
  std::string format;
  std::string field;
  FieldSpec spec;  // as in the file
  Extents extents;
  int ranks = 1;
  bool written = false;                  // false: read
  Strategy strategy = Strategy::direct;  // the one taken, never `automatic`
  std::uint64_t bytes = 0;               // payload moved
  StepSeconds seconds;
  Checksum checksum;               // of the data that passed, where it was computed
  std::optional<Checksum> stored;  // the one the file states
  Sums sums;                       // of the data that passed, all kinds that the format keeps
  ChecksumStatus status = ChecksumStatus::unchecked;
  bool read_back = false;  // the file was read again and compared
  ZeroRegion zeros;
  StorageReport storage;
  DeviceReport device;
  // Sentences: what is wrong beside the transfer, such as an unreadable site profile.
  std::vector<std::string> warnings;

  double rate() const noexcept { return seconds.total > 0 ? static_cast<double>(bytes) / seconds.total : 0; }
  // One paragraph for people.
  std::string summary() const;
};

}  // namespace lq
