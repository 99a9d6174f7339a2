// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Duplicates of handles, and the files that a task uses.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <fmt/format.h>

#include "compat/sion/alias.hpp"
#include "compat/sion/opening.hpp"
#include "multifile/buddy_copies.hpp"
#include "multifile/parallel_file.hpp"
#include "multifile/serial_file.hpp"

namespace lq::compat::sion {
namespace {

int duplicate(OpenFile& open, int mode, int rank, std::uint64_t key) {
  if (mode != SION_DUP_ALL && mode != SION_DUP_RANK && mode != SION_DUP_RANK_KEY) {
    return report_error(SION_ID_NOT_VALID, open.rank, fmt::format("sion_dup: unknown mode {}", mode));
  }
  if (open.kind != Kind::parallel && open.kind != Kind::mapped && open.kind != Kind::duplicate) {
    return report_error(SION_ID_NOT_VALID, open.rank, "sion_dup: only for files that were opened in parallel");
  }
  std::optional<std::int64_t> task;
  std::optional<std::uint64_t> only_key;
  // A parallel open has one task, whatever its number.
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

struct Involvement {
  std::string path;
  std::size_t bytes;
  int role;
};

// The files that a task uses when it writes with copies; limited to the requested ones.
std::vector<Involvement> involvements(OpenFile& open, const multifile::ParallelFile& file, int roles) {
  open.file->catch_up();
  std::vector<Involvement> all{{file.physical_path(), open.file->selected().stream.size(), SION_ROLE_WRITER}};
  for (const auto& copy : file.copies()->copies()) {
    all.push_back({copy.path, copy.bytes, SION_ROLE_SENDER});
    all.push_back({copy.kept_path, 0, file.copies()->keeps() ? SION_ROLE_COLLECTOR : SION_ROLE_NOWRITER});
  }
  std::erase_if(all, [&](const Involvement& one) { return (one.role & roles) == 0; });
  return all;
}

template <class T>
T* allocate(std::size_t count) {
  auto* const memory = static_cast<T*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// nullptr without copies.
sion_io_stat_t* io_info(OpenFile& open, int roles) {
  const auto* const file = dynamic_cast<const multifile::ParallelFile*>(open.file.get());
  if (file == nullptr || file->copies() == nullptr) return nullptr;
  const std::vector<Involvement> all = involvements(open, *file, roles);
  auto* const info = allocate<sion_io_stat_t>(1);
  info->nfiles = static_cast<int>(all.size());
  info->names = allocate<const char*>(all.size());
  info->sizes = allocate<size_t>(all.size());
  info->roles = allocate<int>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    info->names[i] = ::strdup(all[i].path.c_str());
    info->sizes[i] = all[i].bytes;
    info->roles[i] = all[i].role;
  }
  return info;
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
      return report_error(SION_NOT_SUCCESS, open.rank, fmt::format("sion_dedup: {} is not a duplicate", sid));
    }
    return close_handle("sion_dedup", sid);
  });
}

sion_io_stat_t* sion_get_io_info_by_spec(int sid, int roles, int) {
  sion_io_stat_t* info = nullptr;
  with_file("sion_get_io_info", 0, sid, [&](OpenFile& open) {
    info = io_info(open, roles);
    return 0;
  });
  return info;
}

sion_io_stat_t* sion_get_io_info(int sid) {
  return sion_get_io_info_by_spec(sid, SION_ROLE_COLLECTOR | SION_ROLE_WRITER | SION_ROLE_NOWRITER,
                                  SION_GET_IO_INFO_FLAG_NONE);
}

int sion_free_io_info(sion_io_stat_t* info) {
  if (info == nullptr) return SION_SUCCESS;
  for (int i = 0; i < info->nfiles; ++i) std::free(const_cast<char*>(info->names[i]));
  std::free(info->names);
  std::free(info->sizes);
  std::free(info->roles);
  std::free(info);
  return SION_SUCCESS;
}
}

LQ_ALSO_AS_LSION(sion_dup, sion_dedup, sion_get_io_info, sion_get_io_info_by_spec, sion_free_io_info);
