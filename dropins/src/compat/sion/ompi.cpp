// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of the threads of all ranks.
#include <mpi.h>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include <sion_mpi.h>
#include <sion_ompi.h>
#include "comm/agree.hpp"
#include "comm/wire.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/mpi.hpp"
#include "compat/sion/omp.hpp"

namespace lq::compat::sion {
namespace {

using multifile::TaskLocation;

// The location of a thread, from the location of its rank: determined by thread 0 of each rank.
TaskLocation thread_seat(multifile::ThreadsComm& threads, MPI_Comm global, const MPI_Comm* local, const int* files) {
  TaskLocation location;
  auto& shared = threads.shared();
  shared.group.together(
      threads.thread(), nullptr,
      [&] {
        const TaskLocation rank_seat = seat_in(*shared.between, global, local, files);
        shared.parts.assign(1, {});
        const auto bytes = std::as_bytes(std::span(&rank_seat, 1));
        shared.parts[0].assign(bytes.begin(), bytes.end());
      },
      [&] { location = comm::from_bytes<TaskLocation>(shared.parts[0]); });
  const int count = shared.group.threads();
  return {location.file, location.files, location.task * count + threads.thread(), location.tasks * count};
}

std::shared_ptr<multifile::ThreadsComm> hybrid_threads(MPI_Comm global) {
  take_api_number();
  const auto threads = omp_threads([&] { return comm_of(global); });
  auto& shared = threads->shared();
  shared.group.together(
      threads->thread(), nullptr,
      [&] {
        comm::require_same(*shared.between, [&] {
          return std::vector<comm::StatedArgument>{
              {"the number of threads", fmt::format("{}", shared.group.threads())}};
        });
      },
      [] {});
  return threads;
}

int open_ompi(const ParallelArguments& arguments, int* files, MPI_Comm global, const MPI_Comm* local) {
  set_thread_number(omp_thread);
  try {
    const auto threads = hybrid_threads(global);
    const int rank = threads->rank();
    const auto mode = comm::agree(*threads, [&] {
      if (local == nullptr) throw Error(Code::invalid_argument, "No lComm variable given");
      if (files == nullptr) throw Error(Code::invalid_argument, "No numFiles variable given");
      return mode_of(arguments.mode);
    });
    TaskLocation location, found;
    const bool writes = mode.direction == multifile::Direction::write;
    const int groups = 0;  // those of local communicators
    if (writes || mode.buddies > 0) location = thread_seat(*threads, global, local, writes ? files : &groups);
    const int sid =
        open_in_parallel(std::make_shared<multifile::ThreadsTeam>(threads), arguments, location, rank, &found);
    if (sid >= 0) *files = found.files;
    if (sid >= 0 && arguments.globalrank != nullptr) *arguments.globalrank = rank;
    return sid;
  } catch (const std::exception& error) {
    return report_failure(arguments.function, error, omp_thread() == 0 ? 0 : 1);
  }
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_paropen_ompi(const char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, const MPI_Comm* lComm,
                      sion_int64* chunksize, sion_int32* fsblksize, int* globalrank, FILE** fileptr, char** newfname) {
  return open_ompi({"sion_paropen_ompi", fname, file_mode, chunksize, fsblksize, globalrank, fileptr, newfname, {}},
                   numFiles, gComm, lComm);
}

int sion_parclose_ompi(int sid) { return close_handle("sion_parclose_ompi", sid); }
}

LQ_ALSO_AS_LSION(sion_paropen_ompi, sion_parclose_ompi);
