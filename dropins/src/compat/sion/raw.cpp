// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams and descriptors for the caller, second streams, locks, byte swapping, and the debug log (never written).
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstring>

#include <fmt/format.h>

#include <sion_debug.h>
#include "compat/sion/alias.hpp"
#include "compat/sion/handles.hpp"

using namespace lq::compat::sion;

namespace {

int need_stream(const OpenFile& open, const char* function, bool done) {
  if (done) return SION_SUCCESS;
  return report_error(SION_NOT_SUCCESS, open.rank,
                      fmt::format("{}: file was not opened in ANSI mode, aborting ...", function));
}

}  // namespace

extern "C" {

FILE* sion_get_fp(int sid) {
  FILE* stream = nullptr;
  with_file("sion_get_fp", 0, sid, [&](OpenFile& open) {
    stream = open.file->channel().share_stream();
    open.file->place_stream();
    return 0;
  });
  return stream;
}

int sion_get_fd(int sid) {
  return with_file("sion_get_fd", -1, sid, [&](OpenFile& open) {
    open.file->channel().flush();
    return open.file->channel().descriptor();
  });
}

int sion_set_fp_closed(int sid) {
  return with_file("sion_set_fp_closed", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    return need_stream(open, "sion_set_fp_closed", open.file->channel().forget_stream());
  });
}

int sion_set_second_fp(int sid, FILE* fp) {
  return with_file("sion_set_second_fp", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    open.file->catch_up();
    const bool done = open.file->channel().use_second_stream(fp);
    if (done) open.file->place_stream();
    return need_stream(open, "sion_set_second_fp", done);
  });
}

int sion_unset_second_fp(int sid) {
  return with_file("sion_unset_second_fp", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    open.file->catch_up();
    const bool done = open.file->channel().use_second_stream(nullptr);
    if (done) open.file->place_stream();
    return need_stream(open, "sion_unset_second_fp", done);
  });
}

int sion_optimize_fp_buffer(int sid) {
  return with_file("sion_optimize_fp_buffer", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    const auto bytes = static_cast<std::size_t>(std::max(open.file->facts().block_size, 1));
    return need_stream(open, "sion_optimize_fp_buffer", open.file->channel().set_buffer(bytes));
  });
}

int sion_lock_register_lock_callbacks(int lock(void*), int unlock(void*), void* lock_data) {
  return set_lock(lock, unlock, lock_data) ? SION_SUCCESS : SION_NOT_SUCCESS;
}

int sion_lock_user_callbacks_defined(void) { return has_user_lock() ? 1 : 0; }

void sion_swap(void* target, void* source, int size, int n, int do_swap) {
  if (target == nullptr || source == nullptr || size <= 0 || n <= 0) return;
  const auto width = static_cast<std::size_t>(size);
  const std::size_t bytes = width * static_cast<std::size_t>(n);
  if (target != source) std::memmove(target, source, bytes);
  auto* const begin = static_cast<std::byte*>(target);
  for (std::size_t i = 0; do_swap != 0 && i < bytes; i += width) std::reverse(begin + i, begin + i + width);
}

int _sion_file_stat_file(const char* fname) {
  struct stat status {};
  return fname != nullptr && ::stat(fname, &status) == 0 ? 1 : 0;
}

int sion_get_endianness(void) { return std::endian::native == std::endian::big ? 1 : 0; }

int sion_get_version(int* main_version, int* sub_version, int* patch_level, int* fileformat_version) {
  if (main_version != nullptr) *main_version = SION_MAIN_VERSION;
  if (sub_version != nullptr) *sub_version = SION_SUB_VERSION;
  if (patch_level != nullptr) *patch_level = SION_VERSION_PATCHLEVEL;
  if (fileformat_version != nullptr) *fileformat_version = SION_FILEFORMAT_VERSION;
  return SION_SUCCESS;
}

int sion_dprintf(int, const char*, ...) { return 0; }
int sion_dprintfp(int, const char*, int, const char*, ...) { return 0; }
int sion_isdebug(void) { return 0; }
void sion_debug_on(int, const char*) {}
void sion_debug_off(void) {}
FILE* sion_get_dfile(void) { return nullptr; }
void sion_dclose(void) {}
int _sion_debug_set_query_thread_num_function(int (*)(void)) { return SION_SUCCESS; }

char* _sion_buddy_role_to_str(int role);
char* _sion_buddy_role_to_str(int role) {
  struct Name {
    int role;
    char text[32];
  };
  static Name names[] = {
      {SION_ROLE_NONE, "SION_ROLE_NONE"},         {SION_ROLE_COLLECTOR, "SION_ROLE_COLLECTOR"},
      {SION_ROLE_SENDER, "SION_ROLE_SENDER"},     {SION_ROLE_WRITER, "SION_ROLE_WRITER"},
      {SION_ROLE_NOWRITER, "SION_ROLE_NOWRITER"}, {SION_ROLE_READER, "SION_ROLE_READER"},
      {SION_ROLE_NOREADER, "SION_ROLE_NOREADER"}, {SION_ROLE_COLLECTOR_READER, "SION_ROLE_COLLECTOR_READER"}};
  static char unknown[] = "unknown";
  const auto found =
      std::find_if(std::begin(names), std::end(names), [&](const Name& name) { return name.role == role; });
  return found == std::end(names) ? unknown : found->text;
}
}

LQ_ALSO_AS_LSION(sion_get_fp, sion_get_fd, sion_set_fp_closed, sion_set_second_fp, sion_unset_second_fp,
                 sion_optimize_fp_buffer, sion_lock_register_lock_callbacks, sion_lock_user_callbacks_defined,
                 sion_swap, sion_get_endianness, sion_get_version, sion_dprintf, sion_dprintfp, sion_isdebug,
                 sion_debug_on, sion_debug_off, sion_get_dfile, sion_dclose);

// Names that begin with an underscore keep it in front.
extern "C" decltype(_sion_file_stat_file) _lsion_file_stat_file __attribute__((alias("_sion_file_stat_file")));
extern "C" decltype(_sion_debug_set_query_thread_num_function) _lsion_debug_set_query_thread_num_function
    __attribute__((alias("_sion_debug_set_query_thread_num_function")));
extern "C" decltype(_sion_buddy_role_to_str) _lsion_buddy_role_to_str __attribute__((alias("_sion_buddy_role_to_str")));
