// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Duplicates of handles, and which files a task has to do with.
#include <cstdlib>

#include <fmt/format.h>

#include "compat/sion/alias.hpp"
#include "compat/sion/opening.hpp"
#include "multifile/duplicate.hpp"

namespace lq::compat::sion {
namespace {

int duplicate(OpenFile& open, int mode, int rank, std::uint64_t key) {
  if (mode != SION_DUP_ALL && mode != SION_DUP_RANK && mode != SION_DUP_RANK_KEY) {
    return complain(SION_ID_NOT_VALID, open.rank, fmt::format("sion_dup: unknown mode {}", mode));
  }
  if (open.kind != Kind::parallel && open.kind != Kind::mapped && open.kind != Kind::duplicate) {
    return complain(SION_ID_NOT_VALID, open.rank, "sion_dup: only for files that were opened in parallel");
  }
  std::optional<std::int64_t> task;
  std::optional<std::uint64_t> only_key;
  // A parallel open has one task, whatever it is called.
  if (mode != SION_DUP_ALL) task = open.file->tasks() == 1 ? open.file->selected().rank : std::int64_t{rank};
  if (mode == SION_DUP_RANK_KEY) only_key = key;
  open.file->catch_up();
  const bool has_stream = open.file->channel().descriptor() < 0;
  auto copy = std::make_unique<OpenFile>();
  copy->kind = Kind::duplicate;
  copy->rank = open.rank;
  copy->individual = true;
  copy->file = multifile::Duplicate::of(
      *open.file, has_stream ? multifile::Access::stdio : multifile::Access::descriptors, task, only_key);
  return add_handle(std::move(copy));
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

int sion_dup(int sid, int mode, int rank, uint64_t key) {
  return with_file("sion_dup", SION_ID_NOT_VALID, sid,
                   [&](OpenFile& open) { return duplicate(open, mode, rank, key); });
}

int sion_dedup(int sid) {
  return with_file("sion_dedup", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    if (open.kind != Kind::duplicate) {
      return complain(SION_NOT_SUCCESS, open.rank, fmt::format("sion_dedup: {} is no duplicate", sid));
    }
    return close_handle("sion_dedup", sid);
  });
}

// Only buddy copies have something to tell.
sion_io_stat_t* sion_get_io_info_by_spec(int, int, int) { return nullptr; }
sion_io_stat_t* sion_get_io_info(int sid) { return sion_get_io_info_by_spec(sid, 0, SION_GET_IO_INFO_FLAG_NONE); }

int sion_free_io_info(sion_io_stat_t* info) {
  std::free(info);
  return SION_SUCCESS;
}
}

LQ_ALSO_AS_LSION(sion_dup);
LQ_ALSO_AS_LSION(sion_dedup);
LQ_ALSO_AS_LSION(sion_get_io_info);
LQ_ALSO_AS_LSION(sion_get_io_info_by_spec);
LQ_ALSO_AS_LSION(sion_free_io_info);
