// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The report of a transfer: bytes, seconds per step, checksum.
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
  unchecked,  // not compared: not requested, or no stored checksum covers the region
};
LQ_API std::string_view name(ChecksumStatus status) noexcept;

// Seconds of the slowest rank in each step.
struct StepSeconds {
  double open = 0;      // until the first site moves: headers read, or a new file planned and created; file opened
  double pack = 0;      // site order, precision, byte order, checksum
  double exchange = 0;  // between ranks: agreement and reduction of checksums
  double storage = 0;   // write or read
  double reserve = 0;   // storage allocated before the data are written, if the file system benefits from it
  double sync = 0;      // sync, rename
  double total = 0;     // the whole call
};

// Sites of a gauge field whose numbers are all zero: not SU(N) matrices, but a sign of lost writes.
struct ZeroRegion {
  std::uint64_t sites = 0;
  std::uint64_t first_offset = 0;  // byte in the file of the first such site
  std::uint64_t last_offset = 0;   // byte after the last such site
};

// The file system of the file, and how the transfer used it.
struct LQ_API StorageReport {
  std::string file_system;        // FileSystem::name; empty: not known
  std::uint64_t block_bytes = 0;  // block or stripe, which two writers do not share; 0: not known
  bool single_owner = false;      // two writers in one block would lose bytes: each has one writer, which syncs
  Stripes stripes;                // of a new file
  std::uint64_t ranks = 0;        // that accessed the file
  std::uint64_t call_bytes = 0;   // maximum that one call of a rank moved; 0: not known

  // "on lustre, stripes: 8 of 1 MiB, set by the size of the file; 32 ranks at the file"; empty if there are no stripes
  // and any rank may write anywhere.
  std::string summary() const;
};

// Which ranks converted sites in the memory of GPUs to bytes of the file, or back. Both numbers are 0 without such
// sites.
struct LQ_API DeviceReport {
  std::uint64_t computing_ranks = 0;  // ranks whose GPU did
  std::uint64_t copying_ranks = 0;    // ranks whose host did, through blocks copied from the GPU or to it
  std::string reason;                 // why, on the first of the latter: for example the message of the compiler

  // "a GPU computed on 4 ranks", "the host computed on 1 rank: ..."; empty without such sites.
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
  Strategy strategy = Strategy::direct;  // the one used, never `automatic`
  std::uint64_t bytes = 0;               // payload moved
  StepSeconds seconds;
  Checksum checksum;               // of the transferred data, if it was computed
  std::optional<Checksum> stored;  // the one the file states
  Sums sums;                       // of the transferred data, all kinds that the format stores
  ChecksumStatus status = ChecksumStatus::unchecked;
  bool read_back = false;  // the file was read again and compared
  ZeroRegion zeros;
  StorageReport storage;
  DeviceReport device;
  // Sentences about problems apart from the transfer, such as an unreadable site profile.
  std::vector<std::string> warnings;

  double rate() const noexcept { return seconds.total > 0 ? static_cast<double>(bytes) / seconds.total : 0; }
  // One paragraph for people.
  std::string summary() const;
};

}  // namespace lq
