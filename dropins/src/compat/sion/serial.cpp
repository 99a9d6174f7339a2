// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One process: the whole set, or one task of it.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "compat/sion/alias.hpp"
#include "compat/sion/opening.hpp"
#include "multifile/serial_file.hpp"

namespace lq::compat::sion {
namespace {

using multifile::Direction;
using multifile::Mode;
using multifile::SerialFile;

struct SerialArguments {
  char* name;
  int* ntasks;
  int* nfiles;
  sion_int64** chunksizes;
  sion_int32* fsblksize;
  int** globalranks;
};

std::unique_ptr<SerialFile> create(const SerialArguments& arguments, const Mode& mode) {
  if (arguments.chunksizes == nullptr || *arguments.chunksizes == nullptr) {
    refuse("sion_open: chunksizes seems not to be a pointer to an array, returning ...\n");
  }
  if (arguments.globalranks == nullptr || *arguments.globalranks == nullptr) {
    refuse("sion_open: globalranks seems not to be a pointer to an array, returning ...\n");
  }
  if (arguments.ntasks == nullptr || *arguments.ntasks < 1) refuse("sion_open: number of tasks is not positive");
  if (arguments.nfiles != nullptr && *arguments.nfiles > 1) {
    refuse(fmt::format("sion_open: {} files; written serially there is one", *arguments.nfiles));
  }
  multifile::SerialCreation request;
  request.path = name_of(arguments.name);
  request.mode = mode;
  request.chunk_bytes.assign(*arguments.chunksizes, *arguments.chunksizes + *arguments.ntasks);
  request.ranks.assign(*arguments.globalranks, *arguments.globalranks + *arguments.ntasks);
  if (arguments.fsblksize != nullptr) request.block_size = *arguments.fsblksize;
  return SerialFile::create(request);
}

void give_contents(const SerialArguments& arguments, const SerialFile& file) {
  if (arguments.ntasks != nullptr) *arguments.ntasks = static_cast<int>(file.tasks());
  if (arguments.nfiles != nullptr) *arguments.nfiles = file.facts().files;
  give_array(arguments.chunksizes, file.tasks(),
             [&](std::size_t t) { return static_cast<sion_int64>(file.task(t).stream.width()); });
  give_array(arguments.globalranks, file.tasks(), [&](std::size_t t) { return static_cast<int>(file.task(t).rank); });
}

// SIONlib opens file 0 of a set under a separate number while it reserves one for the set.
int add_serial(std::unique_ptr<OpenFile> open) {
  const int first = open->file->facts().files > 1 && open->kind == Kind::serial ? reserve_handle() : -1;
  const int sid = add_handle(std::move(open));
  if (first >= 0) drop_handle(first);
  return sid;
}

int open_all(const SerialArguments& arguments, const char* words, FILE** fileptr) {
  Mode mode = mode_of(words);
  auto open = std::make_unique<OpenFile>();
  open->rank = 0;
  std::unique_ptr<SerialFile> file;
  if (mode.direction == Direction::write) {
    file = create(arguments, mode);
  } else {
    file = SerialFile::open({name_of(arguments.name), mode, {}, {}});
    give_contents(arguments, *file);
  }
  if (arguments.fsblksize != nullptr) *arguments.fsblksize = file->facts().block_size;
  open->file = std::move(file);
  check_keys(*open->file, mode, open->rank);
  hand_out_stream(*open->file, fileptr);
  return add_serial(std::move(open));
}

int open_one(char* name, const char* words, sion_int64* chunksize, sion_int32* fsblksize, const int* rank,
             FILE** fileptr) {
  const Mode mode = mode_of(words);
  if (mode.direction == Direction::write) refuse("sion_open_rank: is for reading; write with sion_open");
  if (rank == nullptr) refuse("sion_open_rank: no rank was given");
  auto open = std::make_unique<OpenFile>();
  open->kind = Kind::one_task;
  open->rank = *rank;
  auto file = SerialFile::open_task({name_of(name), mode, {}, {}}, *rank);
  if (chunksize != nullptr) *chunksize = static_cast<sion_int64>(file->selected().stream.width());
  if (fsblksize != nullptr) *fsblksize = file->facts().block_size;
  open->file = std::move(file);
  check_keys(*open->file, mode, open->rank);
  hand_out_stream(*open->file, fileptr);
  return add_serial(std::move(open));
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_open(char* fname, const char* file_mode, int* ntasks, int* nfiles, sion_int64** chunksizes,
              sion_int32* fsblksize, int** globalranks, FILE** fileptr) {
  try {
    return open_all({fname, ntasks, nfiles, chunksizes, fsblksize, globalranks}, file_mode, fileptr);
  } catch (const std::exception& error) {
    return report_error(SION_ID_NOT_VALID, -1, error.what());
  }
}

int sion_open_rank(char* fname, const char* file_mode, sion_int64* chunksize, sion_int32* fsblksize, int* rank,
                   FILE** fileptr) {
  try {
    return open_one(fname, file_mode, chunksize, fsblksize, rank, fileptr);
  } catch (const std::exception& error) {
    return report_error(SION_ID_NOT_VALID, -1, error.what());
  }
}

int sion_close(int sid) { return close_handle("sion_close", sid); }

int _sion_close_sid(int sid);
int _sion_close_sid(int sid) { return close_handle("sion_close", sid); }
}

LQ_ALSO_AS_LSION(sion_open, sion_open_rank, sion_close);
extern "C" decltype(_sion_close_sid) _lsion_close_sid __attribute__((alias("_sion_close_sid")));
