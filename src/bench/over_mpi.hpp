// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a benchmark that need MPI. They are not among the module's objects: programs over MPI link them in
// addition.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "bench/tasks.hpp"

namespace lq::bench {

// Collective. One rank transfers everything, as in many codes: rank 0 collects one time slice at a time and writes it,
// and distributes what it reads. Plain doubles without checksum. The reference for parallel writing since the
// Lemon paper (arXiv:1106.4177, section 4). The ranks of the grid are those of MPI_COMM_WORLD.
std::unique_ptr<Mover> make_gather(const Grid& grid);

// `ranks` points to the MPI_Comm of the grid, which must outlive the mover; the pointer need not. Plain doubles without
// checksum, in lexicographic order: x fastest.

// Collective. MPI-IO in the textbook way, through a subarray view: MPI_File_write_all, or MPI_File_write.
std::unique_ptr<Mover> make_mpi_io(const Grid& grid, const void* ranks, bool collective);
// Local. Grid's default plan since 2026 (pmodels/mpich#7935): one all-to-all undoes the split of the fastest
// dimensions until contiguous pieces of the file have the requested size, then plain writes.
inline constexpr std::uint64_t usual_extent_bytes = std::uint64_t{4} << 20;
std::unique_ptr<Mover> make_undo_split(const void* ranks, std::uint64_t extent_bytes = usual_extent_bytes);

// Collective. The competitors of --protocol grid: collective MPI-IO, and that plan (0: its default size). The ranks of
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
// Throws Error(io) with a library's message if `failed`.
void require(bool failed, const std::string& path, const std::string& words);

// Collective over MPI_COMM_WORLD. Some of its ranks as tasks; see WithTasks.
void with_tasks(int tasks, int shift, const std::function<void(const TaskGroup& group)>& work);

// Local. Multifiles as programs for SIONlib write them, through our sion.h; available if that was built. Pointers to
// the MPI_Comm of the writers and of the readers, which must outlive it.
std::unique_ptr<TaskSide> make_multifile_side(const void* writers, const void* readers);

}  // namespace lq::bench
