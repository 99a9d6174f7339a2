// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of the ranks of an MPI communicator.
#include <mpi.h>

#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

#include "comm/agree.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/mpi.hpp"
#include "compat/sion_mpi.h"
#include "multifile/parallel_file.hpp"

namespace lq::compat::sion {
namespace {

using multifile::Direction;
using multifile::Seat;

// The rank in `all` of the first task of a local communicator.
int leader_of(MPI_Comm all, MPI_Comm local) {
  MPI_Group all_group = MPI_GROUP_NULL, local_group = MPI_GROUP_NULL;
  MPI_Comm_group(all, &all_group);
  MPI_Comm_group(local, &local_group);
  const int first = 0;
  int leader = MPI_UNDEFINED;
  MPI_Group_translate_ranks(local_group, 1, &first, all_group, &leader);
  MPI_Group_free(&all_group);
  MPI_Group_free(&local_group);
  if (leader != MPI_UNDEFINED) return leader;
  throw Error(Code::invalid_argument, "lComm has ranks that are not in gComm; lComm must be a part of it");
}

}  // namespace

void take_api_number() {
  static const int api = reserve_handle();
  static_cast<void>(api);
}

std::shared_ptr<comm::Comm> comm_of(MPI_Comm comm) {
  const auto handle = std::make_shared<Communicator>(mpi::communicator(comm));
  return {handle, &handle->engine()};
}

Seat seat_in(comm::Comm& all, MPI_Comm global, const MPI_Comm* local, const int* files) {
  const int wanted = *files;
  comm::require_same(all, fmt::format("{}", wanted > 0 ? wanted : 0), "numFiles");
  if (wanted > 0) {
    return comm::agree(all, [&] { return multifile::dealt_seat(all.rank(), all.size(), wanted); });
  }
  struct Local {
    int leader = 0, rank = 0, size = 1;
  } mine;
  comm::agree(all, [&] {
    if (*local == MPI_COMM_NULL) {
      throw Error(Code::invalid_argument, "neither a number of files nor a local communicator is given");
    }
    MPI_Comm_rank(*local, &mine.rank);
    MPI_Comm_size(*local, &mine.size);
    mine.leader = leader_of(global, *local);
  });
  return multifile::grouped_seat(all, mine.leader, mine.rank, mine.size);
}

namespace {

// Told at once by whom it concerns, in the words that programs know.
const char* missing_argument(const int* files, const MPI_Comm* local) noexcept {
  if (local == nullptr) return "No lComm variable given";
  return files == nullptr ? "No numFiles variable given" : nullptr;
}

int open_mpi(const ParallelArguments& arguments, int* files, MPI_Comm global, const MPI_Comm* local) {
  take_api_number();
  int rank = -1;
  const char* const missing = missing_argument(files, local);
  try {
    const auto all = comm_of(global);
    rank = all->rank();
    if (missing != nullptr) complain(SION_ID_NOT_VALID, rank, fmt::format("{}: {}", arguments.function, missing));
    const auto mode = comm::agree(*all, [&] {
      if (missing != nullptr) throw Error(Code::invalid_argument, missing);
      return mode_of(arguments.mode);
    });
    Seat seat;
    const bool writes = mode.direction == Direction::write;
    const int no_number = 0;
    if (writes || mode.buddies > 0) seat = seat_in(*all, global, local, writes ? files : &no_number);
    Seat found;
    const int sid = open_in_parallel(multifile::make_team(all), arguments, seat, rank, &found);
    if (sid >= 0) *files = found.files;
    if (sid >= 0 && arguments.globalrank != nullptr) *arguments.globalrank = rank;
    return sid;
  } catch (const std::exception& error) {
    return missing != nullptr ? SION_ID_NOT_VALID : report_failure(arguments.function, error, rank);
  }
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_paropen_mpi(const char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, const MPI_Comm* lComm,
                     sion_int64* chunksize, sion_int32* fsblksize, int* globalrank, FILE** fileptr, char** newfname) {
  return open_mpi(
      {"sion_paropen_mpi", fname, file_mode, chunksize, fsblksize, globalrank, fileptr, newfname, nullptr, nullptr},
      numFiles, gComm, lComm);
}

int sion_parclose_mpi(int sid) { return close_handle("sion_parclose_mpi", sid); }

int sion_parreinit_mpi(int sid, sion_int64 chunksize) { return sion_generic_parreinit(sid, chunksize); }

size_t sion_coll_fwrite_mpi(const void* data, size_t size, size_t nitems, int sid) {
  return sion_coll_fwrite(data, size, nitems, sid);
}

size_t sion_coll_fread_mpi(void* data, size_t size, size_t nitems, int sid) {
  return sion_coll_fread(data, size, nitems, sid);
}
}

LQ_ALSO_AS_LSION(sion_paropen_mpi);
LQ_ALSO_AS_LSION(sion_parclose_mpi);
LQ_ALSO_AS_LSION(sion_parreinit_mpi);
LQ_ALSO_AS_LSION(sion_coll_fwrite_mpi);
LQ_ALSO_AS_LSION(sion_coll_fread_mpi);
