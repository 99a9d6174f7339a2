// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data of threads: what lies in the memory of the collector's rank needs no message.
#include "multifile/threads.hpp"

namespace lq::multifile {
namespace {

template <class Data>
struct Deposit {
  Parcel parcel;
  Data data;
};

// The ranks of a group whose tasks are threads.
struct Ranks {
  int collector, last;
};

Ranks ranks_of(const CollectorGroup& group, int threads) {
  return {group.collector / threads, (group.collector + group.tasks - 1) / threads};
}

}  // namespace

ThreadsExchange::ThreadsExchange(std::shared_ptr<ThreadsComm> comm) : comm_(std::move(comm)) {
  if (comm_->thread() == 0) between_ = std::make_unique<CommExchange>(comm_->shared().between);
}

// The collector's thread, when tasks of other ranks are in its group.
void ThreadsExchange::reserve(const CollectorGroup& group) {
  if (!between_) return;
  const Ranks ranks = ranks_of(group, comm_->shared().group.threads());
  if (comm_->shared().between->rank() == ranks.collector && ranks.last > ranks.collector) {
    between_->make_room(group.piece_bytes);
  }
}

void ThreadsExchange::open() {
  if (between_) between_->open();
}

void ThreadsExchange::collect(const CollectorGroup& group, const Parcel& mine, base::Bytes data, const Write& write) {
  using Mine = Deposit<base::Bytes>;
  const Mine deposit{mine, data};
  ThreadGroup& threads = comm_->shared().group;
  const Ranks ranks = ranks_of(group, threads.threads());
  const auto work = [&] {
    const bool collects = comm_->shared().between->rank() == ranks.collector;
    std::exception_ptr failure;
    for (int t = 0; t < threads.threads(); ++t) {
      const Mine& theirs = threads.deposit<Mine>(t);
      if (collects) {
        CommExchange::write_own(theirs.parcel, theirs.data, write, failure);
      } else {
        between_->offer(theirs.parcel, theirs.data, ranks.collector, group.piece_bytes);
      }
    }
    if (!collects) return between_->await_verdict(ranks.collector);
    for (int rank = ranks.collector + 1; rank <= ranks.last; ++rank) {
      for (int t = 0; t < threads.threads(); ++t) between_->accept(rank, group.piece_bytes, write, failure);
    }
    between_->give_verdict(ranks.collector + 1, ranks.last, failure);
  };
  threads.together(comm_->thread(), &deposit, work, [] {});
}

void ThreadsExchange::scatter_data(const CollectorGroup& group, const Parcel& mine, base::MutableBytes data,
                                   const Read& read) {
  using Mine = Deposit<base::MutableBytes>;
  const Mine deposit{mine, data};
  ThreadGroup& threads = comm_->shared().group;
  const Ranks ranks = ranks_of(group, threads.threads());
  const auto work = [&] {
    const bool collects = comm_->shared().between->rank() == ranks.collector;
    std::exception_ptr failure;
    for (int t = 0; t < threads.threads(); ++t) {
      const Mine& theirs = threads.deposit<Mine>(t);
      if (collects) {
        CommExchange::read_own(theirs.parcel, theirs.data, group.piece_bytes, read, failure);
      } else {
        between_->ask(theirs.parcel, theirs.data, ranks.collector, group.piece_bytes);
      }
    }
    if (!collects) return between_->await_verdict(ranks.collector);
    for (int rank = ranks.collector + 1; rank <= ranks.last; ++rank) {
      for (int t = 0; t < threads.threads(); ++t) between_->serve(rank, group.piece_bytes, read, failure);
    }
    between_->give_verdict(ranks.collector + 1, ranks.last, failure);
  };
  threads.together(comm_->thread(), &deposit, work, [] {});
}

ThreadsRelay::ThreadsRelay(std::shared_ptr<ThreadsComm> comm, const BuddyNeighbours& neighbours)
    : comm_(std::move(comm)) {
  if (comm_->thread() > 0) return;
  const int threads = comm_->shared().group.threads();
  BuddyNeighbours of_ranks = neighbours;
  of_ranks.keeper /= threads;
  for (int& client : of_ranks.clients) client /= threads;
  between_ = std::make_unique<CommRelay>(comm_->shared().between, of_ranks, threads);
}

void ThreadsRelay::open() {
  if (between_) between_->open();
}

void ThreadsRelay::pass(const Parcel& mine, base::Bytes data, const CollectorExchange::Write& write,
                        std::exception_ptr& failure) {
  using Mine = Deposit<base::Bytes>;
  const Mine deposit{mine, data};
  ThreadGroup& threads = comm_->shared().group;
  const auto work = [&] {
    for (int t = 0; t < threads.threads(); ++t) {
      const Mine& theirs = threads.deposit<Mine>(t);
      between_->start(theirs.parcel, theirs.data, failure);
    }
    between_->accept(write, failure);
    between_->finish();
  };
  threads.together(comm_->thread(), &deposit, work, [] {});
}

}  // namespace lq::multifile
