// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing at the cursor (multifile-interface rules: a write is never split, a read ends at its chunk),
// individually and collectively.
#include "compat/sion/handles.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "compat/sion/alias.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::compat::sion {

std::optional<std::size_t> bytes_of(const char* function, const OpenFile& open, const void* data, std::size_t size,
                                    std::size_t items) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(size, items, &bytes) || bytes > std::numeric_limits<std::size_t>::max() / 2) {
    report_error(0, open.rank,
                 fmt::format("{}: {} items of {} bytes are more than memory can hold", function, items, size));
    return std::nullopt;
  }
  if (data == nullptr && bytes > 0) {
    report_error(0, open.rank, fmt::format("{}: invalid pointer", function));
    return std::nullopt;
  }
  return bytes;
}

namespace {

using multifile::ParallelFile;

bool ensure_space(OpenFile& open, std::uint64_t bytes) {
  if (open.file->ensure_space(bytes)) return true;
  report_error(0, open.rank,
               fmt::format("sion_ensure_free_space[{:2d}]: could not write {} bytes, chunksize={}, returning ...",
                           open.rank, bytes, open.file->selected().stream.width()));
  return false;
}

std::size_t write_items(OpenFile& open, const void* data, std::size_t size, std::size_t items) {
  const auto bytes = bytes_of("sion_fwrite", open, data, size, items);
  if (!bytes || *bytes == 0) return 0;
  if (!ensure_space(open, *bytes)) {
    report_error(0, open.rank, "could not ensure free space for this block, returning 0 ...");
    return 0;
  }
  open.file->write({static_cast<const std::byte*>(data), *bytes});
  return items;
}

// True if this number of bytes is left in the chunk, or in the next one; otherwise prints a message.
bool is_left(OpenFile& open, std::size_t bytes) {
  open.file->catch_up();
  const auto& stream = open.file->selected().stream;
  if (bytes <= stream.width() && (stream.rest() == 0 || bytes <= stream.rest())) return true;
  report_error(0, open.rank,
               fmt::format("not enough bytes left in chunk, aborting ({} < {}) ...\n", stream.rest(), bytes));
  return false;
}

std::size_t read_items(OpenFile& open, void* data, std::size_t size, std::size_t items) {
  const auto bytes = bytes_of("sion_fread", open, data, size, items);
  if (!bytes || *bytes == 0 || !is_left(open, *bytes)) return 0;
  return open.file->read({static_cast<std::byte*>(data), *bytes}) / size;
}

// Collective calls for data: in files that were not opened collectively, and after an individual call if data are
// not merged, they are individual.

// nullptr: the call is individual.
ParallelFile* together(const OpenFile& open) noexcept {
  auto* const file = dynamic_cast<ParallelFile*>(open.file.get());
  const bool is_over = open.individual && file != nullptr && !file->merges();
  return file != nullptr && file->is_collective() && !is_over ? file : nullptr;
}

std::size_t write_together(OpenFile& open, ParallelFile& file, const void* data, std::size_t size, std::size_t items) {
  const auto bytes = bytes_of("sion_coll_fwrite", open, data, size, items);
  // A task that cannot take part still joins in with no data, because the others wait for it.
  const base::Bytes span(static_cast<const std::byte*>(data), bytes.value_or(0));
  const bool fits = file.write_together(bytes ? span : base::Bytes());
  if (!fits) {
    report_error(0, open.rank,
                 fmt::format("sion_coll_fwrite: could not write {} bytes, chunksize={}, returning ...", span.size(),
                             file.selected().stream.width()));
  }
  return fits && bytes && size > 0 ? items : 0;
}

std::size_t read_together(OpenFile& open, ParallelFile& file, void* data, std::size_t size, std::size_t items) {
  const auto bytes = bytes_of("sion_coll_fread", open, data, size, items);
  // As above: earlier errors are reported to all.
  std::exception_ptr failure;
  bool fits = false;
  base::keep_failure(failure, [&] { fits = bytes && is_left(open, *bytes); });
  const std::size_t got = file.read_together({static_cast<std::byte*>(data), fits ? *bytes : 0}, failure);
  return size == 0 ? 0 : got / size;
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

size_t sion_fwrite(const void* data, size_t size, size_t nitems, int sid) {
  return with_file("sion_fwrite", size_t{0}, sid, [&](OpenFile& open) {
    open.individual = true;
    return write_items(open, data, size, nitems);
  });
}

size_t sion_fread(void* data, size_t size, size_t nitems, int sid) {
  return with_file("sion_fread", size_t{0}, sid, [&](OpenFile& open) {
    open.individual = true;
    return read_items(open, data, size, nitems);
  });
}

int sion_ensure_free_space(int sid, sion_int64 bytes) {
  return with_file("sion_ensure_free_space", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    if (bytes < 0) {
      return report_error(SION_NOT_SUCCESS, open.rank, fmt::format("sion_ensure_free_space: {} bytes", bytes));
    }
    return ensure_space(open, static_cast<std::uint64_t>(bytes)) ? SION_SUCCESS : SION_NOT_SUCCESS;
  });
}

int sion_feof(int sid) {
  return with_file("sion_feof", SION_SIZE_NOT_VALID, sid,
                   [&](OpenFile& open) { return open.file->writes() || open.file->is_at_end() ? 1 : 0; });
}

sion_int64 sion_bytes_avail_in_chunk(int sid) {
  return with_file("sion_bytes_avail_in_chunk", Number{SION_SIZE_NOT_VALID}, sid, [&](OpenFile& open) {
    if (!open.file->writes()) open.file->catch_up();
    const auto& stream = open.file->selected().stream;
    return static_cast<sion_int64>(stream.used(stream.chunk())) - static_cast<sion_int64>(stream.position());
  });
}

sion_int64 sion_bytes_avail_in_block(int sid) { return sion_bytes_avail_in_chunk(sid); }

int sion_flush(int sid) {
  return with_file("sion_flush", SION_NOT_SUCCESS, sid, [&](OpenFile& open) {
    open.file->flush();
    return SION_SUCCESS;
  });
}

size_t sion_coll_fwrite(const void* data, size_t size, size_t nitems, int sid) {
  return with_file("sion_coll_fwrite", size_t{0}, sid, [&](OpenFile& open) {
    auto* const file = together(open);
    return file == nullptr ? write_items(open, data, size, nitems) : write_together(open, *file, data, size, nitems);
  });
}

size_t sion_coll_fread(void* data, size_t size, size_t nitems, int sid) {
  return with_file("sion_coll_fread", size_t{0}, sid, [&](OpenFile& open) {
    auto* const file = together(open);
    return file == nullptr ? read_items(open, data, size, nitems) : read_together(open, *file, data, size, nitems);
  });
}
}

LQ_ALSO_AS_LSION(sion_fwrite, sion_fread, sion_ensure_free_space, sion_feof, sion_bytes_avail_in_chunk,
                 sion_bytes_avail_in_block, sion_flush, sion_coll_fwrite, sion_coll_fread);
