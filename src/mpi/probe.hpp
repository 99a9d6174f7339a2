// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of the MPI probes, separate so that they can be tested with a correct MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <limequat/mpi.hpp>
#include <limequat/survey.hpp>

namespace lq::mpi {

// Judges by the text of MPI_Get_library_version.
Probe judge_library(const std::string& version);
// `provided` as returned by MPI_Query_thread.
Probe judge_threads(int provided);

int rank_of(MPI_Comm comm);
int size_of(MPI_Comm comm);

// Views of a file for several ranks: rank r has blocks of `block` bytes, the first at start + r * block, the following
// ones at intervals of ranks * block + gap. No rank writes the gaps.
struct AwkwardView {
  std::uint64_t block = 1;
  std::uint64_t count = 1;
  std::uint64_t gap = 0;
  std::uint64_t start = 0;

  std::uint64_t file_bytes(int ranks) const noexcept;
  // The byte at `position` after all ranks have written to a file that was filled with gap_byte.
  std::byte expected(int ranks, std::uint64_t position) const noexcept;
  // The data of one rank, blocks concatenated.
  std::vector<std::byte> data_of(int rank, int ranks) const;
};
inline constexpr std::byte gap_byte{0xee};

// A sentence about the first byte that differs; empty if there is none. `file` begins at position 0.
std::string first_difference(const AwkwardView& view, int ranks, const std::vector<std::byte>& file);

// Collective. The worst of the ranks' results; if several are equal, that of the lowest rank.
Probe worst_over_ranks(MPI_Comm comm, const Probe& mine);

// `view`, reduced to the blocks that can be written in `seconds`, given that `count` of them took `taken`: at least
// sixteen, at most all.
AwkwardView affordable(const AwkwardView& view, double seconds, double taken, std::uint64_t count);

// Collective over `comm`; `path` names a file that is created and removed. If everything would take more than
// `seconds`, fewer blocks are written, and less often; the result states this.
Probe probe_writes(MPI_Comm comm, const std::string& path, bool collective, double seconds);
Probe probe_large_offset(MPI_Comm comm, const std::string& path);
Probe probe_large_piece(MPI_Comm comm, const std::string& path);
Probe probe_large_message(MPI_Comm comm);
Probe probe_reduction(MPI_Comm comm);

}  // namespace lq::mpi
