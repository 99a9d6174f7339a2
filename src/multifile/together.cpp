// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective reading and writing: the collector does it for its group.
#include <algorithm>

#include <limequat/error.hpp>

#include "multifile/buddy_copies.hpp"
#include "multifile/buddy_service.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {

bool ParallelFile::write_together(base::Bytes bytes) {
  catch_up();
  Parcel mine;
  LogicalFile& stream = selected().stream;
  if (merges_) {
    mine = {Parcel::collectors, static_cast<std::int64_t>(bytes.size())};
  } else if (ensure_space(bytes.size())) {
    mine = {static_cast<std::int64_t>(stream.offset()), static_cast<std::int64_t>(bytes.size())};
  }
  std::exception_ptr failure;
  try {
    group_.courier->collect(collectors_, mine, bytes, [&](const Parcel& piece, base::Bytes data) {
      if (piece.offset >= 0) return channel().write_at(static_cast<std::uint64_t>(piece.offset), data);
      if (!write(data)) {
        throw Error(Code::too_large, channel().path() + ": a block is larger than the collector's chunk");
      }
    });
  } catch (...) {
    failure = std::current_exception();
    collector_failure_ = failure;
  }
  // Whatever happened here, the neighbours wait.
  if (copies_) copies_->write(mine.offset == Parcel::nowhere ? base::Bytes() : bytes);
  if (failure) std::rethrow_exception(failure);
  if (mine.offset == Parcel::nowhere) return false;
  if (!merges_) {
    stream.advance(bytes.size());
    stream.mark_filled();
  }
  place_stream();
  return true;
}

std::size_t ParallelFile::read_together(base::MutableBytes buffer) {
  Parcel mine;
  LogicalFile& stream = selected().stream;
  if (!buffer.empty() && !is_at_end()) {
    mine = {static_cast<std::int64_t>(stream.offset()),
            static_cast<std::int64_t>(std::min<std::uint64_t>(buffer.size(), stream.rest()))};
  }
  if (service_) {
    service_->read(stream.offset(), buffer.first(static_cast<std::size_t>(mine.bytes)));
    stream.advance(static_cast<std::uint64_t>(mine.bytes));
    place_stream();
    return static_cast<std::size_t>(mine.bytes);
  }
  group_.courier->deal_out(collectors_, mine, buffer, [&](const Parcel& piece, base::MutableBytes data) {
    const std::size_t got = channel().read_at(static_cast<std::uint64_t>(piece.offset), data);
    if (got == data.size()) return;
    ErrorFacts facts;
    facts.path = channel().path();
    throw Error(Code::truncated, channel().path() + ": ends inside a chunk; it was cut short: restore it from a copy",
                facts);
  });
  stream.advance(static_cast<std::uint64_t>(mine.bytes));
  place_stream();
  return static_cast<std::size_t>(mine.bytes);
}

}  // namespace lq::multifile
