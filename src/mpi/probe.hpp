// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of the probes of MPI, apart so that they can be tested where MPI is sound.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <limequat/mpi.hpp>
#include <limequat/survey.hpp>

namespace lq::mpi {

// By what MPI_Get_library_version says.
Probe judge_library(const std::string& version);
// `provided` as MPI_Query_thread gives it.
Probe judge_threads(int provided);

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

// A view of a file for each of several ranks: rank r has blocks of `block` bytes, the first at start + r * block, each
// ranks * block + gap behind the one before. The gaps belong to nobody.
struct AwkwardView {
  std::uint64_t block = 1;
  std::uint64_t count = 1;
  std::uint64_t gap = 0;
  std::uint64_t start = 0;

  std::uint64_t file_bytes(int ranks) const noexcept;
  // What the file holds at `position` when all ranks have written, and every byte was gap_byte before.
  std::byte expected(int ranks, std::uint64_t position) const noexcept;
  // Of one rank, one block after the other.
  std::vector<std::byte> data_of(int rank, int ranks) const;
};
inline constexpr std::byte gap_byte{0xee};

// The first byte that is not as expected, as a sentence; empty when there is none. `file` begins at position 0.
std::string first_difference(const AwkwardView& view, int ranks, const std::vector<std::byte>& file);

// Collective. The worst of the ranks' answers, of these that of the lowest rank.
Probe worst_over_ranks(MPI_Comm comm, const Probe& mine);

// Of `view` the blocks that can be written in `seconds`, where `count` of them took `taken`: at least sixteen, at most
// all.
AwkwardView affordable(const AwkwardView& view, double seconds, double taken, std::uint64_t count);

// Collective over `comm`; `path` names a file that is made and removed. Fewer blocks are written, and less often, where
// all would take more than `seconds`; the answer says so.
Probe probe_writes(MPI_Comm comm, const std::string& path, bool collective, double seconds);
Probe probe_large_offset(MPI_Comm comm, const std::string& path);
Probe probe_large_piece(MPI_Comm comm, const std::string& path);
Probe probe_large_message(MPI_Comm comm);
Probe probe_reduction(MPI_Comm comm);

}  // namespace lq::mpi
