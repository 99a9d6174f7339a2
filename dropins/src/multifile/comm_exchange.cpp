// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One task after the other, so that the collector holds one piece of one task at a time. A failed collector continues
// to receive, because the others are sending.
#include "multifile/comm_exchange.hpp"

#include <algorithm>
#include <array>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/wire.hpp"

namespace lq::multifile {
namespace {

// Calls work(piece) for the pieces of an extent that has data of the multifile.
template <class Work>
void for_each_piece(const FileExtent& extent, std::int64_t piece_bytes, const Work& work) {
  if (extent.offset == FileExtent::nowhere || extent.offset == FileExtent::failed) return;
  for (std::int64_t done = 0; done < extent.bytes; done += piece_bytes) {
    const std::int64_t offset = extent.offset < 0 ? extent.offset : extent.offset + done;
    work(FileExtent{offset, std::min(piece_bytes, extent.bytes - done)}, static_cast<std::size_t>(done));
  }
}

// Messages are sent in pieces, for which a rank has space even without free memory.
constexpr std::size_t words_piece = 512;

std::size_t words_bytes(const FileExtent& extent) noexcept {
  return extent.offset == FileExtent::failed ? static_cast<std::size_t>(extent.bytes) : 0;
}

// Throws the error of a task that failed before.
void require_no_error(const FileExtent& extent, base::Bytes words) {
  if (extent.offset == FileExtent::failed)
    std::rethrow_exception(comm::received_error(words.first(words_bytes(extent))));
}

// Runs `work` unless there was a failure before.
template <class Work>
void attempt(std::exception_ptr& failure, const Work& work) {
  if (!failure) base::keep_failure(failure, work);
}

}  // namespace

void CommExchange::reserve(const CollectorGroup& group) {
  if (comm_->rank() == group.collector && group.tasks > 1) make_room(group.piece_bytes);
}

void CommExchange::make_room(std::int64_t piece_bytes) { room_.resize(static_cast<std::size_t>(piece_bytes)); }

void CommExchange::send(base::Bytes bytes, int to) { comm::wait(comm_->start_send(bytes, to, channel())); }
void CommExchange::receive(base::MutableBytes bytes, int from) {
  comm::wait(comm_->start_receive(bytes, from, channel()));
}

void CommExchange::give_verdict(int first, int last, const std::exception_ptr& failure) {
  comm::broadcast_error(true, failure, [&](base::Bytes bytes) {
    for (int task = first; task <= last; ++task) send(bytes, task);
  });
}

void CommExchange::await_verdict(int collector) {
  comm::broadcast_error(false, nullptr, [&](base::MutableBytes bytes) { receive(bytes, collector); });
}

void CommExchange::send_words(base::Bytes words, int to) {
  for (; !words.empty(); words = words.subspan(std::min(words.size(), words_piece))) {
    send(words.first(std::min(words.size(), words_piece)), to);
  }
}

// The error in these messages.
std::exception_ptr CommExchange::receive_words(std::size_t length, int from) {
  std::vector<std::byte> words;
  std::exception_ptr lack;
  attempt(lack, [&] { words.reserve(length); });
  std::array<std::byte, words_piece> piece;
  for (std::size_t done = 0; done < length; done += piece.size()) {
    const base::MutableBytes part = std::span(piece).first(std::min(piece.size(), length - done));
    receive(part, from);
    if (!lack) words.insert(words.end(), part.begin(), part.end());
  }
  return comm::received_error(words);
}

void CommExchange::receive_error(const FileExtent& extent, int from, std::exception_ptr& failure) {
  if (extent.offset != FileExtent::failed) return;
  const std::exception_ptr error = receive_words(words_bytes(extent), from);
  if (!failure) failure = error;
}

void CommExchange::offer(const FileExtent& mine, base::Bytes data, int collector, std::int64_t piece_bytes) {
  send(std::as_bytes(std::span(&mine, 1)), collector);
  send_words(data.first(words_bytes(mine)), collector);
  for_each_piece(mine, piece_bytes, [&](const FileExtent& piece, std::size_t done) {
    send(data.subspan(done, static_cast<std::size_t>(piece.bytes)), collector);
  });
}

void CommExchange::accept(int from, std::int64_t piece_bytes, const Write& write, std::exception_ptr& failure) {
  FileExtent extent;
  receive(std::as_writable_bytes(std::span(&extent, 1)), from);
  receive_error(extent, from, failure);
  for_each_piece(extent, piece_bytes, [&](const FileExtent& piece, std::size_t) {
    const base::MutableBytes held = std::span(room_).first(static_cast<std::size_t>(piece.bytes));
    receive(held, from);
    attempt(failure, [&] { write(piece, held); });
  });
}

void CommExchange::ask(const FileExtent& mine, base::MutableBytes data, int collector, std::int64_t piece_bytes) {
  send(std::as_bytes(std::span(&mine, 1)), collector);
  send_words(data.first(words_bytes(mine)), collector);
  for_each_piece(mine, piece_bytes, [&](const FileExtent& piece, std::size_t done) {
    receive(data.subspan(done, static_cast<std::size_t>(piece.bytes)), collector);
  });
}

void CommExchange::serve(int from, std::int64_t piece_bytes, const Read& read, std::exception_ptr& failure) {
  FileExtent extent;
  receive(std::as_writable_bytes(std::span(&extent, 1)), from);
  receive_error(extent, from, failure);
  for_each_piece(extent, piece_bytes, [&](const FileExtent& piece, std::size_t) {
    const base::MutableBytes held = std::span(room_).first(static_cast<std::size_t>(piece.bytes));
    attempt(failure, [&] { read(piece, held); });
    if (failure) std::ranges::fill(held, std::byte{0});
    send(held, from);
  });
}

void CommExchange::write_own(const FileExtent& mine, base::Bytes data, const Write& write,
                             std::exception_ptr& failure) {
  attempt(failure, [&] { require_no_error(mine, data); });
  for_each_piece(mine, std::max<std::int64_t>(mine.bytes, 1), [&](const FileExtent& whole, std::size_t) {
    attempt(failure, [&] { write(whole, data.first(static_cast<std::size_t>(whole.bytes))); });
  });
}

void CommExchange::read_own(const FileExtent& mine, base::MutableBytes data, std::int64_t piece_bytes, const Read& read,
                            std::exception_ptr& failure) {
  attempt(failure, [&] { require_no_error(mine, data); });
  for_each_piece(mine, piece_bytes, [&](const FileExtent& piece, std::size_t done) {
    attempt(failure, [&] { read(piece, data.subspan(done, static_cast<std::size_t>(piece.bytes))); });
  });
}

void CommExchange::collect(const CollectorGroup& group, const FileExtent& mine, base::Bytes data, const Write& write) {
  if (comm_->rank() != group.collector) {
    offer(mine, data, group.collector, group.piece_bytes);
    return await_verdict(group.collector);
  }
  const int last = group.collector + group.tasks - 1;
  std::exception_ptr failure;
  // The collector's own data need no extra memory, so they are not split.
  write_own(mine, data, write, failure);
  for (int task = group.collector + 1; task <= last; ++task) accept(task, group.piece_bytes, write, failure);
  give_verdict(group.collector + 1, last, failure);
}

void CommExchange::scatter_data(const CollectorGroup& group, const FileExtent& mine, base::MutableBytes data,
                                const Read& read) {
  if (comm_->rank() != group.collector) {
    ask(mine, data, group.collector, group.piece_bytes);
    return await_verdict(group.collector);
  }
  const int last = group.collector + group.tasks - 1;
  std::exception_ptr failure;
  read_own(mine, data, group.piece_bytes, read, failure);
  for (int task = group.collector + 1; task <= last; ++task) serve(task, group.piece_bytes, read, failure);
  give_verdict(group.collector + 1, last, failure);
}

// Sending starts before receiving, because keepers also send, in a circle.

namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr FileExtent failed_extent{FileExtent::failed, 0};

}  // namespace

CommBuddyExchange::CommBuddyExchange(std::shared_ptr<comm::Comm> comm, const BuddyNeighbours& neighbours, int tasks)
    : comm_(std::move(comm)), exchange_(comm_), keeper_(neighbours.keeper), clients_(neighbours.clients) {
  parcels_.reserve(static_cast<std::size_t>(tasks));
  if (!clients_.empty()) exchange_.make_room(piece_bytes);
}

void CommBuddyExchange::pass(const FileExtent& mine, base::Bytes data, const CollectorExchange::Write& write,
                             std::exception_ptr& failure) {
  start(mine, data, failure);
  accept(write, failure);
  finish();
}

void CommBuddyExchange::start(const FileExtent& mine, base::Bytes data, std::exception_ptr& failure) {
  const std::size_t pieces = mine.offset >= 0 ? (data.size() + piece_bytes - 1) / piece_bytes : 0;
  std::exception_ptr lack;
  base::keep_failure(lack, [&] { pieces_.reserve(pieces_.size() + pieces); });
  if (!failure) failure = lack;
  const FileExtent& sent = lack ? failed_extent : mine;
  parcels_.push_back(comm_->start_send(std::as_bytes(std::span(&sent, 1)), keeper_, exchange_.channel()));
  for (std::size_t done = 0; !lack && mine.offset >= 0 && done < data.size(); done += piece_bytes) {
    const auto piece = data.subspan(done, std::min(piece_bytes, data.size() - done));
    pieces_.push_back(comm_->start_send(piece, keeper_, exchange_.channel()));
  }
}

void CommBuddyExchange::accept(const CollectorExchange::Write& write, std::exception_ptr& failure) {
  for (const int client : clients_) exchange_.accept(client, piece_bytes, write, failure);
}

void CommBuddyExchange::finish() {
  for (auto* const flights : {&parcels_, &pieces_}) {
    for (comm::Flight& flight : *flights) comm::wait(std::move(flight));
    flights->clear();
  }
}

}  // namespace lq::multifile
