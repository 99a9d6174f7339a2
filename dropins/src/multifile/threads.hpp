// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The threads of a process as tasks, alone or together with those of other ranks. Only thread 0 communicates between
// ranks; threads exchange data through shared memory. All threads of a group make the same calls.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "base/function_ref.hpp"
#include "comm/comm.hpp"
#include "multifile/comm_exchange.hpp"
#include "multifile/team.hpp"

namespace lq::multifile {

// Data shared by the threads of a process.
class ThreadGroup {
 public:
  explicit ThreadGroup(int threads) : threads_(threads), deposits_(static_cast<std::size_t>(threads)) {}

  int threads() const noexcept { return threads_; }
  // Each thread provides a pointer; thread 0 runs `work`; each runs `take`; no thread leaves before all are done. All
  // threads throw the exception of `work`.
  // Neither synchronising nor passing an error allocates.
  using Work = base::FunctionRef<void()>;
  void together(int thread, const void* deposit, Work work, Work take);
  template <class T>
  const T& deposit(int thread) const {
    return *static_cast<const T*>(deposits_[static_cast<std::size_t>(thread)]);
  }

 private:
  void meet();

  int threads_;
  std::vector<const void*> deposits_;
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;
  std::uint64_t meeting_ = 0;
};

// Task numbers: rank * threads + thread. `between` is used by thread 0 only.
class ThreadsComm final : public comm::Comm {
 public:
  struct Shared {
    Shared(int threads, std::shared_ptr<comm::Comm> comm) : group(threads), between(std::move(comm)) {}
    ThreadGroup group;
    std::shared_ptr<comm::Comm> between;
    std::vector<std::vector<std::byte>> parts;     // from thread 0 for the others
    std::vector<std::vector<comm::Message>> mail;  // for each thread
    std::shared_ptr<Shared> next;
  };

  ThreadsComm(std::shared_ptr<Shared> shared, int thread)
      : shared_(std::move(shared)), thread_(thread), threads_(shared_->group.threads()) {}

  Shared& shared() noexcept { return *shared_; }
  int thread() const noexcept { return thread_; }

  int rank() const noexcept override { return shared_->between->rank() * threads_ + thread_; }
  int size() const noexcept override { return shared_->between->size() * threads_; }
  void barrier() override;
  void broadcast(std::span<std::byte> data, int root) override;
  void all_reduce(std::span<std::uint64_t> values, comm::Reduce operation) override;
  void gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink) override;
  std::vector<std::byte> scatter_parts(const PartOf& part_of, int root) override;
  // All threads of a rank go to the same group; thread 0's arguments count.
  std::unique_ptr<comm::Comm> split(int colour, int key) override;
  std::vector<comm::Message> all_to_all(std::vector<comm::Message> outgoing) override;
  // These throw Error(unsupported).
  std::unique_ptr<comm::Comm> split_by_node() override;
  comm::Flight start_send(std::span<const std::byte> bytes, int to, int channel) override;
  comm::Flight start_receive(std::span<std::byte> bytes, int from, int channel) override;

 private:
  std::shared_ptr<Shared> shared_;
  int thread_;
  int threads_;
};

// Thread 0 of each rank sends, or collects, for all of them. Groups consist of whole ranks.
class ThreadsExchange final : public CollectorExchange {
 public:
  // Local.
  explicit ThreadsExchange(std::shared_ptr<ThreadsComm> comm);
  // Collective, before anything is moved. Allocates nothing.
  void open();

  void reserve(const CollectorGroup& group) override;
  void collect(const CollectorGroup& group, const FileExtent& mine, base::Bytes data, const Write& write) override;
  void scatter_data(const CollectorGroup& group, const FileExtent& mine, base::MutableBytes data,
                    const Read& read) override;

 private:
  template <class Data, class Own, class Remote, class Sent>
  void exchange(const CollectorGroup& group, const FileExtent& mine, Data data, const Own& own, const Remote& remote,
                const Sent& sent);

  std::shared_ptr<ThreadsComm> comm_;
  std::unique_ptr<CommExchange> between_;  // of thread 0
};

// The same for copies: groups that keep them also consist of whole ranks.
class ThreadsBuddyExchange final : public BuddyExchange {
 public:
  // Local.
  ThreadsBuddyExchange(std::shared_ptr<ThreadsComm> comm, const BuddyNeighbours& neighbours);
  // Collective, before anything is passed. Allocates nothing.
  void open();

  void pass(const FileExtent& mine, base::Bytes data, const CollectorExchange::Write& write,
            std::exception_ptr& failure) override;

 private:
  std::shared_ptr<ThreadsComm> comm_;
  std::unique_ptr<CommBuddyExchange> between_;  // of thread 0
};

class ThreadsTeam final : public Team {
 public:
  explicit ThreadsTeam(std::shared_ptr<ThreadsComm> all) : all_(std::move(all)) {}
  comm::Comm& all() override { return *all_; }
  // Throws unsupported if threads of one rank are in different files.
  FileGroup form(const TaskLocation& location, bool collects) override;
  bool may_collect() const override { return all_->thread() == 0; }
  std::unique_ptr<BuddyExchange> make_buddy_exchange(const BuddyNeighbours& neighbours) override;

 private:
  void require_whole_ranks(const TaskLocation& location);

  std::shared_ptr<ThreadsComm> all_;
};

}  // namespace lq::multifile
