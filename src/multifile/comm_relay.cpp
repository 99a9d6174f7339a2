// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sending is started before anything is received, for keepers send, too, in a circle.
#include "multifile/comm_relay.hpp"

#include <algorithm>

namespace lq::multifile {
namespace {

constexpr std::size_t piece_bytes = 1 << 20;

}  // namespace

CommRelay::CommRelay(std::shared_ptr<comm::Comm> comm, const Vicinity& vicinity)
    : comm_(std::move(comm)), courier_(comm_), keeper_(vicinity.keeper), wards_(vicinity.wards) {}

void CommRelay::pass(const Parcel& mine, base::Bytes data, const Courier::Write& write, std::exception_ptr& failure) {
  start(mine, data);
  accept(write, failure);
  finish();
}

void CommRelay::start(const Parcel& mine, base::Bytes data) {
  flights_.push_back(comm_->start_send(std::as_bytes(std::span(&mine, 1)), keeper_, courier_.channel()));
  for (std::size_t done = 0; mine.offset >= 0 && done < data.size(); done += piece_bytes) {
    const auto piece = data.subspan(done, std::min(piece_bytes, data.size() - done));
    flights_.push_back(comm_->start_send(piece, keeper_, courier_.channel()));
  }
}

void CommRelay::accept(const Courier::Write& write, std::exception_ptr& failure) {
  for (const int ward : wards_) courier_.accept(ward, piece_bytes, write, failure);
}

void CommRelay::finish() {
  for (comm::Flight& flight : flights_) comm::wait(std::move(flight));
  flights_.clear();
}

}  // namespace lq::multifile
