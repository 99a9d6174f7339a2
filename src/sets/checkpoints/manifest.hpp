// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The manifest of a checkpoint (formats/checkpoints.md 2): its contents, and a checksum of every block of each file.
// Also the proof: all ranks together read every byte of its files and compare it with these checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>

#include "comm/comm.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

inline constexpr std::string_view manifest_name = "checkpoint.lq", state_file_name = "state";

struct SummedFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> sums = {};  // CRC-32 of each block
};

struct NamedState {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;  // in the file of states
};

struct NamedField {
  std::string file, name;
  Extents extents = {};    // of the lattice
  Extents processes = {};  // of its writer
  // For a piece on a node: the corner of its box in the lattice. Without sites it has no file.
  Coord first = {};
};

// A member of a group of ranks that keep parity of each other's parts, and the files of its part.
struct ParityMember {
  int rank = 0;
  std::vector<SummedFile> files = {};  // without sums
};

struct Manifest {
  std::uint64_t step = 0;
  std::uint64_t save = 0;  // number of the save into the folder
  std::int64_t date = 0;   // seconds since 1970
  int ranks = 1;
  std::int64_t tasks = 0;  // streams
  // For a piece on a node: its rank, and the save that all pieces belong to. 0: not a piece.
  int piece = 0;
  std::uint64_t pieces = 0;
  std::uint64_t set = 0;
  // If this is the parity of a group that piece `piece` belongs to: how many parts of the group can be restored (0: no
  // parity), how the parts are divided, and the members.
  std::uint32_t restorable = 0;
  std::uint64_t chunk_bytes = 0;
  std::vector<ParityMember> members = {};
  std::uint64_t block_bytes = 1 << 20;
  std::vector<NamedState> states;
  std::vector<NamedField> fields;
  std::vector<SummedFile> files;

  std::uint64_t bytes() const noexcept;
};

// The size of the blocks with a checksum each, for files with this total size.
std::uint64_t block_bytes_for(std::uint64_t bytes) noexcept;

std::string encode(const Manifest& manifest);
// malformed, truncated: `path` is for messages. Its checksum covers every byte.
Manifest decode_manifest(const std::string& path, std::string_view text);

// invalid_argument unless it is a valid name of a field or state: 1 to 255 bytes, no control characters.
void require_name(std::string_view name, std::string_view what);

// Local, at the root. The states of a checkpoint, at the positions in its manifest.
std::map<std::string, std::vector<std::byte>> read_states(storage::Transport& transport, const std::string& folder,
                                                          const Manifest& manifest);

// Collective. Computes the checksums of the files in `folder`, whose names and sizes are known on all ranks.
void sum_files(comm::Comm& comm, storage::Transport& transport, const std::string& folder, Manifest& manifest);
// Collective. Throws unless the checksums agree: truncated, checksum_mismatch, and the errors of opening and reading.
// Ranks read what other ranks wrote, if there are any.
void prove(comm::Comm& comm, storage::Transport& transport, const std::string& folder, const Manifest& manifest,
           int threads = 0);

}  // namespace lq::sets
