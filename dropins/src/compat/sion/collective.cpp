// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective calls for data: in files that were not opened collectively, and after an individual call where data are
// not merged, they are individual.
#include <fmt/format.h>

#include "base/keep_failure.hpp"
#include "compat/sion/alias.hpp"
#include "compat/sion/data.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::compat::sion {
namespace {

using multifile::ParallelFile;

// nullptr: the call is individual.
ParallelFile* together(const OpenFile& open) noexcept {
  auto* const file = dynamic_cast<ParallelFile*>(open.file.get());
  const bool is_over = open.individual && file != nullptr && !file->merges();
  return file != nullptr && file->is_collective() && !is_over ? file : nullptr;
}

std::size_t write_together(OpenFile& open, ParallelFile& file, const void* data, std::size_t size, std::size_t items) {
  const auto bytes = bytes_of("sion_coll_fwrite", open, data, size, items);
  // Whoever cannot take part still joins in, with nothing, for the others wait for him.
  const base::Bytes span(static_cast<const std::byte*>(data), bytes.value_or(0));
  const bool fits = file.write_together(bytes ? span : base::Bytes());
  if (!fits) {
    complain(0, open.rank,
             fmt::format("sion_coll_fwrite: could not write {} bytes, chunksize={}, returning ...", span.size(),
                         file.selected().stream.width()));
  }
  return fits && bytes && size > 0 ? items : 0;
}

std::size_t read_together(OpenFile& open, ParallelFile& file, void* data, std::size_t size, std::size_t items) {
  const auto bytes = bytes_of("sion_coll_fread", open, data, size, items);
  // As above: what goes wrong before is for all.
  std::exception_ptr failure;
  bool fits = false;
  base::keep_failure(failure, [&] {
    file.catch_up();
    const auto& stream = file.selected().stream;
    fits = bytes && *bytes <= stream.width() && (stream.rest() == 0 || *bytes <= stream.rest());
    if (!bytes || fits) return;
    complain(0, open.rank,
             fmt::format("not enough bytes left in chunk, aborting ({} < {}) ...\n", stream.rest(), *bytes));
  });
  const std::size_t got = file.read_together({static_cast<std::byte*>(data), fits ? *bytes : 0}, failure);
  return size == 0 ? 0 : got / size;
}

}  // namespace
}  // namespace lq::compat::sion

using namespace lq::compat::sion;

extern "C" {

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

LQ_ALSO_AS_LSION(sion_coll_fwrite);
LQ_ALSO_AS_LSION(sion_coll_fread);
