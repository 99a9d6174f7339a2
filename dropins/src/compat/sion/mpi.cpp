// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of the ranks of an MPI communicator.
#include <mpi.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

#include "comm/agree.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/mpi.hpp"
#include <sion_mpi.h>
#include "multifile/parallel_file.hpp"

namespace lq::compat::sion {
namespace {

using multifile::Direction;
using multifile::TaskLocation;

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

// What is kept with a communicator: a duplicate for all multifiles that are opened over it.
int delete_duplicate(MPI_Comm /*comm*/, int /*key*/, void* held, void* /*extra*/) {
  delete static_cast<std::shared_ptr<comm::Comm>*>(held);
  return MPI_SUCCESS;
}

int duplicate_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_duplicate, &made, nullptr);
    return made;
  }();
  return key;
}

bool has_attributes(MPI_Comm comm) {
  int is_initialised = 0, is_finalised = 0;
  MPI_Initialized(&is_initialised);
  MPI_Finalized(&is_finalised);
  return comm != MPI_COMM_NULL && is_initialised != 0 && is_finalised == 0;
}

// A physical file for each local communicator.
TaskLocation locate_locally(comm::Comm& all, MPI_Comm global, const MPI_Comm* local) {
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
  return multifile::locate_by_group(all, mine.leader, mine.rank, mine.size);
}

}  // namespace

void take_api_number() {
  static const int api = reserve_handle();
  static_cast<void>(api);
}

std::shared_ptr<comm::Comm> comm_of(MPI_Comm comm) {
  if (has_attributes(comm)) {
    void* held = nullptr;
    int is_there = 0;
    MPI_Comm_get_attr(comm, duplicate_key(), static_cast<void*>(&held), &is_there);
    if (is_there != 0) return *static_cast<std::shared_ptr<comm::Comm>*>(held);
  }
  const Communicator made = mpi::communicator(comm);
  auto kept = comm::agree(made.engine(), [&] {
    const auto handle = std::make_shared<Communicator>(made);
    return std::make_unique<std::shared_ptr<comm::Comm>>(handle, &handle->engine());
  });
  std::shared_ptr<comm::Comm> duplicate = *kept;
  if (MPI_Comm_set_attr(comm, duplicate_key(), kept.get()) == MPI_SUCCESS) static_cast<void>(kept.release());
  return duplicate;
}

TaskLocation seat_in(comm::Comm& all, MPI_Comm global, const MPI_Comm* local, const int* files) {
  const int wanted = *files;
  comm::require_same(all, [&] {
    return std::vector<comm::Stated>{{"numFiles", fmt::format("{}", wanted > 0 ? wanted : 0)}};
  });
  if (wanted <= 0) return locate_locally(all, global, local);
  return comm::agree(all, [&] { return multifile::locate_evenly(all.rank(), all.size(), wanted); });
}

namespace {

// Told at once by whom it concerns, in the words that programs know.
const char* missing_argument(const int* files, const MPI_Comm* local) noexcept {
  if (local == nullptr) return "No lComm variable given";
  return files == nullptr ? "No numFiles variable given" : nullptr;
}

// What the tasks of an open have agreed on, and where this one sits.
struct Start {
  std::shared_ptr<multifile::Team> team;
  ParallelWish wish;
  TaskLocation location;
};

Start agree_on_start(const std::shared_ptr<comm::Comm>& handle, const ParallelArguments& arguments, int* files,
                     MPI_Comm global, const MPI_Comm* local) {
  comm::Comm& all = *handle;
  Start start;
  bool writes = false;
  int wanted = 0;
  comm::require_same(all, [&] {
    if (const char* const missing = missing_argument(files, local)) {
      complain(SION_ID_NOT_VALID, all.rank(), fmt::format("{}: {}", arguments.function, missing));
      throw Error(Code::invalid_argument, missing);
    }
    start.team = multifile::make_team(handle);
    start.wish = wish_of(arguments, all.rank());
    writes = start.wish.mode.direction == Direction::write;
    wanted = writes ? std::max(*files, 0) : 0;
    if (wanted > 0) start.location = multifile::locate_evenly(all.rank(), all.size(), wanted);
    return std::vector<comm::Stated>{
        {"the file mode", writes ? "write" : (start.wish.mode.buddies > 0 ? "read with buddies" : "read")},
        {"numFiles", fmt::format("{}", wanted)}};
  });
  if (wanted == 0 && (writes || start.wish.mode.buddies > 0)) start.location = locate_locally(all, global, local);
  return start;
}

int open_mpi(const ParallelArguments& arguments, int* files, MPI_Comm global, const MPI_Comm* local) {
  take_api_number();
  int rank = -1;
  try {
    const auto all = comm_of(global);
    rank = all->rank();
    Start start = agree_on_start(all, arguments, files, global, local);
    TaskLocation found;
    const int sid = open_in_parallel(start.team, arguments, std::move(start.wish), start.location, &found);
    *files = found.files;
    if (arguments.globalrank != nullptr) *arguments.globalrank = rank;
    return sid;
  } catch (const std::exception& error) {
    const bool is_told = missing_argument(files, local) != nullptr;
    return is_told ? SION_ID_NOT_VALID : report_failure(arguments.function, error, rank);
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
