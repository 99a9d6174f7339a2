// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The rest of the MPI interface: mapped opens, old forms, turns, and the check whether there is a multifile.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <limequat/error.hpp>

#include "comm/comm.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/mapped.hpp"
#include "compat/sion/mpi.hpp"
#include <sion_mpi.h>
#include "multifile/mode.hpp"
#include "multifile/parallel_file.hpp"

struct _sion_file_check_par_args_mpi_struct {
  std::string mode;
  MPI_Comm global = MPI_COMM_NULL;
  MPI_Comm local = MPI_COMM_NULL;
  int files = 1;
};

namespace lq::compat::sion {
namespace {

// The old forms give the name in a buffer of the caller's.
int with_name_in_buffer(int sid, char* given, char* buffer) {
  if (buffer != nullptr && sid >= 0 && given != nullptr) {
    std::strncpy(buffer, given, SION_FILENAME_LENGTH - 1);
    buffer[SION_FILENAME_LENGTH - 1] = '\0';
  }
  std::free(given);
  return sid;
}

// How many tasks of a file take their turn at once: all where they are few, as in SIONlib.
int turns_at_once(int tasks) {
  if (const char* const wanted = multifile::variable("SION_SERBLOCKSIZE")) {
    return std::clamp(std::atoi(wanted), 1, tasks);
  }
  if (tasks <= 16) return tasks;
  return tasks > 128 ? 32 : tasks > 64 ? 16 : 8;
}

// Task t waits until the task `at once` before it is done.
int take_turn(OpenFile& open, bool begins) {
  auto* const file = dynamic_cast<multifile::ParallelFile*>(open.file.get());
  if (file == nullptr) return complain(SION_NOT_SUCCESS, open.rank, "turns are for files opened with sion_paropen_mpi");
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

extern "C" {

int sion_paropen_mapped_mpi(char* fname, const char* file_mode, int* numFiles, MPI_Comm gComm, int* nlocaltasks,
                            int** globalranks, sion_int64** chunksizes, int** mapping_filenrs, int** mapping_lranks,
                            sion_int32* fsblksize, FILE** fileptr) {
  const char* const function = "sion_paropen_mapped_mpi";
  take_api_number();
  try {
    MappedArguments arguments;
    arguments.common = {function, fname, file_mode, nullptr, fsblksize, nullptr, fileptr, nullptr, nullptr, nullptr};
    arguments.files = numFiles;
    arguments.tasks = nlocaltasks;
    arguments.ranks = globalranks;
    arguments.chunks = chunksizes;
    arguments.file_numbers = mapping_filenrs;
    arguments.numbers = mapping_lranks;
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

LQ_ALSO_AS_LSION(sion_paropen_mapped_mpi);
LQ_ALSO_AS_LSION(sion_parclose_mapped_mpi);
LQ_ALSO_AS_LSION(sion_paropen_multi_mpi);
LQ_ALSO_AS_LSION(sion_paropen_comms_mpi);
LQ_ALSO_AS_LSION(sion_startof_transaction_mpi);
LQ_ALSO_AS_LSION(sion_endof_transaction_mpi);
LQ_ALSO_AS_LSION(sion_file_check_par_args_init_mpi);
LQ_ALSO_AS_LSION(sion_file_check_par_args_free_mpi);
LQ_ALSO_AS_LSION(sion_file_check_par_cb_mpi);
