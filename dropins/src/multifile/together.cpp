// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective reading and writing: the collector does it for its group.
#include <algorithm>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/wire.hpp"
#include "multifile/buddy_copies.hpp"
#include "multifile/parallel_file.hpp"

namespace lq::multifile {

namespace {

// Of a task that has failed: what went wrong, for its group.
Parcel parcel_of(const comm::RemoteError& told) noexcept {
  return {Parcel::failed, static_cast<std::int64_t>(told.words.size())};
}

}  // namespace

bool ParallelFile::write_together(base::Bytes bytes) {
  Parcel mine;
  LogicalFile& stream = selected().stream;
  std::exception_ptr failure;
  base::keep_failure(failure, [&] {
    catch_up();
    if (merges_) {
      mine = {Parcel::collectors, static_cast<std::int64_t>(bytes.size())};
    } else if (ensure_space(bytes.size())) {
      mine = {static_cast<std::int64_t>(stream.offset()), static_cast<std::int64_t>(bytes.size())};
    }
  });
  const comm::RemoteError told(failure);
  if (failure) failure = told.error();
  bool has_written = true;
  base::keep_failure(failure, [&] {
    group_.exchange->collect(collectors_, told.has_failed ? parcel_of(told) : mine,
                             told.has_failed ? told.words : bytes, [&](const Parcel& piece, base::Bytes data) {
                               has_written = false;
                               put(piece, data);
                               has_written = true;
                             });
  });
  if (!has_written) collector_failure_ = failure;
  // Whatever happened here, the neighbours wait.
  if (copies_) copies_->write(failure || mine.offset == Parcel::nowhere ? base::Bytes() : bytes);
  if (failure) {
    // What the collector wrote of its own before does not count: its stream stands where it stood.
    base::keep_failure(failure, [&] { place_stream(); });
    std::rethrow_exception(failure);
  }
  if (mine.offset == Parcel::nowhere) return false;
  if (!merges_) {
    stream.advance(bytes.size());
    stream.mark_filled();
  }
  place_stream();
  return true;
}

// On the collector.
void ParallelFile::put(const Parcel& piece, base::Bytes data) {
  if (piece.offset >= 0) return channel().write_at(static_cast<std::uint64_t>(piece.offset), data);
  if (write(data)) return;
  throw Error(Code::too_large, channel().path() + ": a block is larger than the collector's chunk");
}

std::size_t ParallelFile::read_together(base::MutableBytes buffer, std::exception_ptr failure) {
  Parcel mine;
  LogicalFile& stream = selected().stream;
  base::keep_failure(failure, [&] {
    if (buffer.empty() || is_at_end()) return;
    mine = {static_cast<std::int64_t>(stream.offset()),
            static_cast<std::int64_t>(std::min<std::uint64_t>(buffer.size(), stream.rest()))};
  });
  comm::RemoteError told(failure);
  if (failure) {
    failure = told.error();
    mine = parcel_of(told);
  }
  if (service_) {
    base::keep_failure(failure, [&] {
      service_->read(stream.offset(), buffer.first(mine.offset < 0 ? 0 : static_cast<std::size_t>(mine.bytes)));
    });
  } else {
    const base::MutableBytes data = failure ? base::MutableBytes(told.words) : buffer;
    base::keep_failure(failure, [&] {
      group_.exchange->scatter_data(collectors_, mine, data,
                                    [&](const Parcel& piece, base::MutableBytes bytes) { fetch(piece, bytes); });
    });
  }
  if (failure) std::rethrow_exception(failure);
  stream.advance(static_cast<std::uint64_t>(mine.bytes));
  place_stream();
  return static_cast<std::size_t>(mine.bytes);
}

// On the collector.
void ParallelFile::fetch(const Parcel& piece, base::MutableBytes bytes) {
  const std::size_t got = channel().read_at(static_cast<std::uint64_t>(piece.offset), bytes);
  if (got == bytes.size()) return;
  ErrorFacts facts;
  facts.path = channel().path();
  throw Error(Code::truncated, channel().path() + ": ends inside a chunk; it was cut short: restore it from a copy",
              facts);
}

}  // namespace lq::multifile
