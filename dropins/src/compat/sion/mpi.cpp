// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of the ranks of an MPI communicator: opens, mapped opens, old forms, and the check whether one exists.
#include "compat/sion/mpi.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <mpi.h>
#include <sion_mpi.h>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/mpi.hpp>

#include "comm/agree.hpp"
#include "comm/comm.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/opening.hpp"
#include "multifile/mode.hpp"
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

// Data attached to a communicator: a duplicate for all multifiles opened over it.
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
    return std::vector<comm::StatedArgument>{{"numFiles", fmt::format("{}", wanted > 0 ? wanted : 0)}};
  });
  if (wanted <= 0) return locate_locally(all, global, local);
  return comm::agree(all, [&] { return multifile::locate_evenly(all.rank(), all.size(), wanted); });
}

namespace {

// Reported immediately by the rank concerned, in SIONlib's wording.
const char* missing_argument(const int* files, const MPI_Comm* local) noexcept {
  if (local == nullptr) return "No lComm variable given";
  return files == nullptr ? "No numFiles variable given" : nullptr;
}

// The values that the tasks of an open agreed on, and the location of this task.
struct Start {
  std::shared_ptr<multifile::Team> team;
  ParallelRequest asked_for;
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
      report_error(SION_ID_NOT_VALID, all.rank(), fmt::format("{}: {}", arguments.function, missing));
      throw Error(Code::invalid_argument, missing);
    }
    start.team = multifile::make_team(handle);
    start.asked_for = request_of(arguments, all.rank());
    writes = start.asked_for.writes();
    wanted = writes ? std::max(*files, 0) : 0;
    if (wanted > 0) start.location = multifile::locate_evenly(all.rank(), all.size(), wanted);
    return std::vector<comm::StatedArgument>{
        {"the file mode", writes ? "write" : (start.asked_for.mode().buddies > 0 ? "read with buddies" : "read")},
        {"numFiles", fmt::format("{}", wanted)}};
  });
  if (wanted == 0 && (writes || start.asked_for.mode().buddies > 0))
    start.location = locate_locally(all, global, local);
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
    const int sid = open_in_parallel(start.team, arguments, std::move(start.asked_for), start.location, &found);
    *files = found.files;
    if (arguments.globalrank != nullptr) *arguments.globalrank = rank;
    return sid;
  } catch (const std::exception& error) {
    const bool is_told = missing_argument(files, local) != nullptr;
    return is_told ? SION_ID_NOT_VALID : report_failure(arguments.function, error, rank);
  }
}

// The old forms return the name in the caller's buffer.
int with_name_in_buffer(int sid, char* given, char* buffer) {
  if (buffer != nullptr && sid >= 0 && given != nullptr) {
    std::strncpy(buffer, given, SION_FILENAME_LENGTH - 1);
    buffer[SION_FILENAME_LENGTH - 1] = '\0';
  }
  std::free(given);
  return sid;
}

// How many tasks of a file run concurrently: all if they are few, as in SIONlib.
int turns_at_once(int tasks) {
  if (const char* const wanted = multifile::variable("SION_SERBLOCKSIZE")) {
    return std::clamp(std::atoi(wanted), 1, tasks);
  }
  if (tasks <= 16) return tasks;
  return tasks > 128 ? 32 : tasks > 64 ? 16 : 8;
}

// Task t waits until task t - `at once` is done.
int take_turn(OpenFile& open, bool begins) {
  auto* const file = dynamic_cast<multifile::ParallelFile*>(open.file.get());
  if (file == nullptr)
    return report_error(SION_NOT_SUCCESS, open.rank, "turns are for files opened with sion_paropen_mpi");
  comm::Comm& comm = *file->group().comm;
  const int at_once = turns_at_once(comm.size());
  const int other = begins ? comm.rank() - at_once : comm.rank() + at_once;
  if (other < 0 || other >= comm.size()) return SION_SUCCESS;
  std::byte token{};
  comm::wait(begins ? comm.start_receive(std::span(&token, 1), other, comm::turn_channel)
                    : comm.start_send(std::span(&token, 1), other, comm::turn_channel));
  return SION_SUCCESS;
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

struct _sion_file_check_par_args_mpi_struct {
  std::string mode;
  MPI_Comm global = MPI_COMM_NULL;
  MPI_Comm local = MPI_COMM_NULL;
  int files = 1;
};

extern "C" {

int sion_paropen_mpi(const char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, const MPI_Comm* lComm,
                     sion_int64* chunksize, sion_int32* fsblksize, int* globalrank, FILE** fileptr, char** newfname) {
  return open_mpi({"sion_paropen_mpi", fname, file_mode, chunksize, fsblksize, globalrank, fileptr, newfname, {}},
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

int sion_paropen_mapped_mpi(char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, int* nlocaltasks,
                            int** globalranks, sion_int64** chunksizes, int** mapping_filenrs, int** mapping_lranks,
                            sion_int32* fsblksize, FILE** fileptr) {
  const char* const function = "sion_paropen_mapped_mpi";
  take_api_number();
  try {
    const MappedArguments arguments{{function, fname, file_mode, nullptr, fsblksize, nullptr, fileptr, nullptr, {}},
                                    numFiles,
                                    nlocaltasks,
                                    globalranks,
                                    chunksizes,
                                    mapping_filenrs,
                                    mapping_lranks};
    return open_mapped(comm_of(gComm), arguments);
  } catch (const std::exception& error) {
    return report_failure(function, error, -1);
  }
}

int sion_parclose_mapped_mpi(int sid) { return close_handle("sion_parclose_mapped_mpi", sid); }

int sion_paropen_multi_mpi(char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, MPI_Comm* lComm,
                           sion_int64* chunksize, sion_int32* fsblksize, int* globalrank, FILE** fileptr,
                           char* newfname) {
  char* name = nullptr;
  const int sid = sion_paropen_mpi(fname, file_mode, numFiles, gComm, lComm, chunksize, fsblksize, globalrank, fileptr,
                                   newfname == nullptr ? nullptr : &name);
  return with_name_in_buffer(sid, name, newfname);
}

int sion_paropen_comms_mpi(char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, MPI_Comm lComm,
                           sion_int64* chunksize, sion_int32* fsblksize, int* globalrank, FILE** fileptr,
                           char* newfname) {
  return sion_paropen_multi_mpi(fname, file_mode, numFiles, gComm, &lComm, chunksize, fsblksize, globalrank, fileptr,
                                newfname);
}

int sion_startof_transaction_mpi(int sid) {
  return with_file("sion_startof_transaction_mpi", SION_NOT_SUCCESS, sid,
                   [](OpenFile& open) { return take_turn(open, true); });
}

int sion_endof_transaction_mpi(int sid) {
  return with_file("sion_endof_transaction_mpi", SION_NOT_SUCCESS, sid, [](OpenFile& open) {
    open.file->flush();
    return take_turn(open, false);
  });
}

sion_file_check_par_args_mpi* sion_file_check_par_args_init_mpi(const char* file_mode, MPI_Comm gComm, int numfiles,
                                                                MPI_Comm lComm) {
  if (file_mode == nullptr) return nullptr;
  return new (std::nothrow) sion_file_check_par_args_mpi{file_mode, gComm, lComm, numfiles};
}

int sion_file_check_par_args_free_mpi(sion_file_check_par_args_mpi* args) {
  delete args;
  return SION_SUCCESS;
}

int sion_file_check_par_cb_mpi(char* fname, void* args) {
  if (fname == nullptr || args == nullptr) return SION_NOT_SUCCESS;
  const auto& check = *static_cast<sion_file_check_par_args_mpi*>(args);
  const Silence silence;
  int files = check.files, rank = 0;
  sion_int64 chunksize = 0;
  sion_int32 fsblksize = -1;
  const int sid = sion_paropen_mpi(fname, check.mode.c_str(), &files, check.global, &check.local, &chunksize,
                                   &fsblksize, &rank, nullptr, nullptr);
  return sid >= 0 && sion_parclose_mpi(sid) == SION_SUCCESS ? SION_SUCCESS : SION_NOT_SUCCESS;
}
}

LQ_ALSO_AS_LSION(sion_paropen_mpi, sion_parclose_mpi, sion_parreinit_mpi, sion_coll_fwrite_mpi, sion_coll_fread_mpi,
                 sion_paropen_mapped_mpi, sion_parclose_mapped_mpi, sion_paropen_multi_mpi, sion_paropen_comms_mpi,
                 sion_startof_transaction_mpi, sion_endof_transaction_mpi, sion_file_check_par_args_init_mpi,
                 sion_file_check_par_args_free_mpi, sion_file_check_par_cb_mpi);
