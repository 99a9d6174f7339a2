// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sending is started before anything is received, for keepers send, too, in a circle.
#include "multifile/comm_relay.hpp"

#include <algorithm>

#include "base/keep_failure.hpp"

namespace lq::multifile {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;
constexpr Parcel failed_parcel{Parcel::failed, 0};

}  // namespace

CommRelay::CommRelay(std::shared_ptr<comm::Comm> comm, const BuddyNeighbours& neighbours, int tasks)
    : comm_(std::move(comm)), exchange_(comm_), keeper_(neighbours.keeper), clients_(neighbours.clients) {
  parcels_.reserve(static_cast<std::size_t>(tasks));
  if (!clients_.empty()) exchange_.make_room(piece_bytes);
}

void CommRelay::pass(const Parcel& mine, base::Bytes data, const CollectorExchange::Write& write,
                     std::exception_ptr& failure) {
  start(mine, data, failure);
  accept(write, failure);
  finish();
}

void CommRelay::start(const Parcel& mine, base::Bytes data, std::exception_ptr& failure) {
  const std::size_t pieces = mine.offset >= 0 ? (data.size() + piece_bytes - 1) / piece_bytes : 0;
  std::exception_ptr lack;
  base::keep_failure(lack, [&] { pieces_.reserve(pieces_.size() + pieces); });
  if (!failure) failure = lack;
  const Parcel& sent = lack ? failed_parcel : mine;
  parcels_.push_back(comm_->start_send(std::as_bytes(std::span(&sent, 1)), keeper_, exchange_.channel()));
  for (std::size_t done = 0; !lack && mine.offset >= 0 && done < data.size(); done += piece_bytes) {
    const auto piece = data.subspan(done, std::min(piece_bytes, data.size() - done));
    pieces_.push_back(comm_->start_send(piece, keeper_, exchange_.channel()));
  }
}

void CommRelay::accept(const CollectorExchange::Write& write, std::exception_ptr& failure) {
  for (const int client : clients_) exchange_.accept(client, piece_bytes, write, failure);
}

void CommRelay::finish() {
  for (auto* const flights : {&parcels_, &pieces_}) {
    for (comm::Flight& flight : *flights) comm::wait(std::move(flight));
    flights->clear();
  }
}

}  // namespace lq::multifile
