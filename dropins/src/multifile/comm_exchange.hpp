// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data of a group over messages: to a collector with its outcome, and copies to their keeper.
#pragma once

#include <optional>
#include <vector>

#include "multifile/team.hpp"

namespace lq::multifile {

class CommExchange final : public CollectorExchange {
 public:
  // Local.
  explicit CommExchange(std::shared_ptr<comm::Comm> comm) : comm_(std::move(comm)) {}
  // Collective, before anything is moved. Allocates nothing.
  void open() { channel_.emplace(*comm_); }

  void reserve(const CollectorGroup& group) override;
  void collect(const CollectorGroup& group, const FileExtent& mine, base::Bytes data, const Write& write) override;
  void scatter_data(const CollectorGroup& group, const FileExtent& mine, base::MutableBytes data,
                    const Read& read) override;

  // The steps, for exchanges of tasks that share a rank. `failure`: the collector's; it continues without reading and
  // writing. The accepting or serving task has space for a piece.
  void make_room(std::int64_t piece_bytes);
  void offer(const FileExtent& mine, base::Bytes data, int collector, std::int64_t piece_bytes);
  void accept(int from, std::int64_t piece_bytes, const Write& write, std::exception_ptr& failure);
  void ask(const FileExtent& mine, base::MutableBytes data, int collector, std::int64_t piece_bytes);
  void serve(int from, std::int64_t piece_bytes, const Read& read, std::exception_ptr& failure);
  // Data in the collector's memory are written as a single piece.
  static void write_own(const FileExtent& mine, base::Bytes data, const Write& write, std::exception_ptr& failure);
  static void read_own(const FileExtent& mine, base::MutableBytes data, std::int64_t piece_bytes, const Read& read,
                       std::exception_ptr& failure);
  // Throws the failure.
  void give_verdict(int first, int last, const std::exception_ptr& failure);
  void await_verdict(int collector);
  int channel() const noexcept { return channel_->number(); }

 private:
  void send(base::Bytes bytes, int to);
  void send_words(base::Bytes words, int to);
  std::exception_ptr receive_words(std::size_t length, int from);
  void receive_error(const FileExtent& extent, int from, std::exception_ptr& failure);
  void receive(base::MutableBytes bytes, int from);

  std::shared_ptr<comm::Comm> comm_;
  std::optional<comm::Channel> channel_;  // of the group
  std::vector<std::byte> room_;           // for a piece of another task
};

// Data for copies over messages: sent to the keeper, and accepted from tasks whose data are kept here.
class CommBuddyExchange final : public BuddyExchange {
 public:
  // Local. Ranks of the neighbours refer to `comm`; each has the given number of tasks.
  CommBuddyExchange(std::shared_ptr<comm::Comm> comm, const BuddyNeighbours& neighbours, int tasks = 1);
  // Collective, before anything is passed. Allocates nothing.
  void open() { exchange_.open(); }

  void pass(const FileExtent& mine, base::Bytes data, const CollectorExchange::Write& write,
            std::exception_ptr& failure) override;

  // The steps, for tasks that share a rank: started for each of them; extent and data must stay valid to the end.
  // If there is no memory to send data, that is a failure, here and at the receiver.
  void start(const FileExtent& mine, base::Bytes data, std::exception_ptr& failure);
  void accept(const CollectorExchange::Write& write, std::exception_ptr& failure);
  void finish();

 private:
  std::shared_ptr<comm::Comm> comm_;
  CommExchange exchange_;
  int keeper_;
  std::vector<int> clients_;
  std::vector<comm::Flight> parcels_, pieces_;  // in flight
};

}  // namespace lq::multifile
