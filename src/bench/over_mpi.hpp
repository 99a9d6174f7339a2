// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a benchmark can do over MPI only. Nothing here is part of the room's objects: programs over MPI link it beside
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "bench/tasks.hpp"

namespace lq::bench {

// Collective. One rank does it all, as many codes do: rank 0 collects time slice by time slice and writes alone, and
// deals out what it alone has read. Plain doubles without checksum. What parallel writing is measured against since the
// Lemon paper (arXiv:1106.4177, section 4). The ranks of the grid are those of MPI_COMM_WORLD.
std::unique_ptr<Mover> make_gather(const Grid& grid);

// `ranks` points to the MPI_Comm of the grid, which outlives the mover; the pointer need not. Plain doubles without
// checksum, in lexicographic order: x fastest.

// Collective. MPI-IO as its textbook has it, through a subarray view: MPI_File_write_all, or MPI_File_write.
std::unique_ptr<Mover> make_mpi_io(const Grid& grid, const void* ranks, bool collective);
// Local. The plan that Grid made its default in 2026 (pmodels/mpich#7935): the split of the fastest dimensions is
// undone by one all-to-all, until what is contiguous in the file has as many bytes as asked for, then plain writes.
inline constexpr std::uint64_t usual_extent_bytes = std::uint64_t{4} << 20;
std::unique_ptr<Mover> make_undo_split(const void* ranks, std::uint64_t extent_bytes = usual_extent_bytes);

// Collective. What --protocol grid puts beside ours: collective MPI-IO, and that plan (0: as it has it). The ranks of
// the grid are those of MPI_COMM_WORLD.
std::vector<std::unique_ptr<Mover>> make_grid_paths(const Grid& grid, std::uint64_t extent_bytes);

// The slowest dimension first, as arrays are declared; `numbers` of a site come last.
template <class Integer>
std::vector<Integer> slowest_first(const Coord& coord, std::uint64_t numbers) {
  std::vector<Integer> reversed;
  for (int d = coord.size() - 1; d >= 0; --d) reversed.push_back(static_cast<Integer>(coord[d]));
  reversed.push_back(static_cast<Integer>(numbers));
  return reversed;
}
// Error(io) with the words of a library when `failed`.
void require(bool failed, const std::string& path, const std::string& words);

// Collective over MPI_COMM_WORLD. Some of its ranks as tasks; see WithTasks.
void with_tasks(int tasks, int shift, const std::function<void(const TaskGroup& group)>& work);

// Local. Multifiles as programs for SIONlib write them, through our sion.h; there where that was built. Pointers to the
// MPI_Comm of those who write and those who read, which outlive it.
std::unique_ptr<TaskSide> make_multifile_side(const void* writers, const void* readers);

}  // namespace lq::bench
