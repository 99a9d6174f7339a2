// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options of reading and writing: set only those that differ from the default. Their effects, and when not to change
// them: docs/reference/options.md.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <limequat/field.hpp>
#include <limequat/lattice.hpp>
#include <limequat/metadata.hpp>

namespace lq {

// Called on rank 0 during long operations with the progress of its own share of one field, in arbitrary units.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// How a written field is checked.
enum class Verify {
  none,       // no checksum is computed or stored
  checksum,   // a checksum is stored
  read_back,  // ... and the file is read again and compared before it gets its name
};

// What has reached the disk when a write returns.
enum class Sync {
  none,  // left to the operating system
  data,  // the file's data
  full,  // the file and its name
};

// How sites are transferred between the ranks that hold them and the file.
enum class Strategy {
  automatic,  // the fastest one according to the plan
  direct,     // every rank moves its own rows
  shared,     // rows are combined in memory that the ranks of a node share; messages between nodes
  pull,       // writing: a rank copies rows out of its neighbours' memory; reading: as shared
  messages,   // rows are exchanged by messages, also within a node
};

LQ_API std::string_view name(Strategy strategy) noexcept;  // "auto", "direct", "shared", "pull", "messages"
// Local. invalid_argument lists the known names.
LQ_API Strategy parse_strategy(std::string_view text);

// The same on all ranks. For zeros the library chooses a value.
struct RouteOptions {
  Strategy strategy = Strategy::automatic;
  std::uint64_t aggregators = 0;  // number of ranks that access the file; all of them with `direct`
  std::uint64_t chunk_bytes = 0;  // assembled and moved at a time
  std::uint64_t alignment = 0;    // file domains begin at multiples of it: a page, block or stripe
  // Maximum memory per rank, in addition to the field; 0: 16 MiB, or 64 MiB if the servers of the file are fast only
  // with calls of 4 MiB.
  std::uint64_t memory_bytes = 0;
  // Threads of this rank that read, write, pack and check; results do not depend on it. 0: one for each core that the
  // rank has to itself, fewer for small fields; 1 in the background. May differ between ranks.
  int threads = 0;
  std::string profile = {};  // of the machine (load_machine); empty: the site profile, if there is one
};

struct WriteOptions {
  std::string format = {};                  // "ildg", "scidac", "lime"; empty: by the suffix of the path
  std::string name = {};                    // of the field; empty: its kind
  std::optional<Precision> precision = {};  // in the file; default: as in memory
  Metadata metadata = {};
  Verify verify = Verify::checksum;
  Sync sync = Sync::full;
  bool overwrite = false;       // replace an existing file (which stays until the new one is complete) or symbolic link
  bool measure = false;         // gauge fields: store plaquette and link trace in the metadata
  bool slice_checksums = true;  // a record of sums per time slice: where damage is, and sites in the wrong place
  std::uint64_t block_bytes = 0;  // packed at a time by a rank that moves its own rows; 0: chosen by the library
  RouteOptions route = {};
  // For formats with several variants; others refuse values other than the default (unsupported).
  std::string layout = {};         // by name: "native", "qdp", "qlua" of HDF5; empty: the format's default
  std::string dataset_chunk = {};  // "slice", one time slice, or extents "8x8x8x4"; empty: contiguous
  std::string filters = {};        // of chunks, in their order: "shuffle,deflate:6,fletcher32", "zstd"; empty: none
  std::string parts = {};          // number of files in each dimension, "1x1x1x4"; empty: one file
  bool time_stamps = true;         // false: equal fields give equal bytes, whenever they are written
  // Stripes of new files, on file systems that have stripes and let programs set them; others ignore them, and the
  // report states this.
  std::uint64_t stripe_count = 0;  // servers that a file is distributed over; 0: see stripes_by_size
  std::uint64_t stripe_bytes = 0;  // contiguous bytes on a server; 0: see stripes_by_size
  bool stripes_by_size = true;  // values that are not requested are set by the size of the file; false: by the folder
  // "3%": when the file has its name, all ranks write a sidecar with this much parity next to it
  // (limequat/protect.hpp).
  std::string protect = {};  // empty: none
  Progress progress = {};    // of a blocking transfer; background transfers have Pending::test()
};

// Limits on what a file may make its reader allocate, checked before any allocation.
struct Limits {
  std::uint64_t records = 1'000'000;
  std::uint64_t text_bytes = 16 * 1024 * 1024;  // of one text record that is held in memory
};

struct ReadOptions {
  std::string field = {};            // name of the field; empty: the first
  std::uint64_t index = 0;           // which of those with that name, from 0
  std::optional<Box> region = {};    // part of the file's lattice; the grid has the extents of the region
  Verify verify = Verify::checksum;  // compare with the stored checksum; a mismatch is an error
  std::uint64_t block_bytes = 0;     // as in WriteOptions
  Limits limits = {};
  RouteOptions route = {};
  Progress progress = {};  // as in WriteOptions
};

}  // namespace lq
