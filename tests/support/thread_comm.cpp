// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The operations on threads. A rank hands in a pointer, all meet, each reads what it needs of the others,
// all meet again.
#include "support/thread_comm.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <limequat/error.hpp>

#include "support/meeting.hpp"

namespace lq::testing {
namespace {

using comm::Message;
using comm::Reduce;
using Parts = std::vector<std::vector<std::byte>>;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::communication, sentence); }

std::uint64_t combine(std::uint64_t a, std::uint64_t b, Reduce operation) {
  switch (operation) {
    case Reduce::sum:
      return a + b;
    case Reduce::min:
      return std::min(a, b);
    case Reduce::max:
      return std::max(a, b);
    case Reduce::bit_xor:
      return a ^ b;
    case Reduce::bit_or:
      return a | b;
  }
  refuse("all_reduce: unknown operation");
}

class Sent final : public comm::Flight {
 public:
  Sent(World& world, std::shared_ptr<Meeting> group, std::shared_ptr<Letter> letter)
      : world_(world), group_(std::move(group)), letter_(std::move(letter)) {}
  bool is_done() override { return world_.was_received(*letter_, *group_); }

 private:
  World& world_;
  std::shared_ptr<Meeting> group_;
  std::shared_ptr<Letter> letter_;
};

// Letters of one sender and channel are taken in the order in which their receipts were asked for.
class Expected final : public comm::Flight {
 public:
  Expected(World& world, std::shared_ptr<Meeting> group, std::span<std::byte> bytes, int from, int to, int channel)
      : world_(world),
        group_(std::move(group)),
        bytes_(bytes),
        from_(from),
        to_(to),
        channel_(channel),
        place_(world.queue_up(*group_, from, to, channel)) {}

  bool is_done() override {
    if (done_) return true;
    const std::shared_ptr<Letter> letter = world_.fetch(*group_, from_, to_, channel_, place_);
    if (!letter) return false;
    if (letter->bytes.size() != bytes_.size()) {
      refuse("receive: " + std::to_string(letter->bytes.size()) + " bytes were sent, " + std::to_string(bytes_.size()) +
             " expected");
    }
    if (!bytes_.empty()) std::memcpy(bytes_.data(), letter->bytes.data(), bytes_.size());
    world_.acknowledge(*letter);
    done_ = true;
    return true;
  }

 private:
  World& world_;
  std::shared_ptr<Meeting> group_;
  std::span<std::byte> bytes_;
  int from_, to_, channel_;
  std::uint64_t place_;
  bool done_ = false;
};

class ThreadComm final : public comm::Comm {
 public:
  ThreadComm(World& world, std::shared_ptr<Meeting> meeting, int rank, int ranks_per_node, Traffic* traffic)
      : world_(world), meeting_(std::move(meeting)), rank_(rank), ranks_per_node_(ranks_per_node), traffic_(traffic) {}

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return meeting_->size(); }
  void barrier() override {
    if (traffic_ != nullptr) ++traffic_->collectives;
    meeting_->meet(rank_, "barrier");
  }

  void broadcast(std::span<std::byte> data, int root) override {
    require_rank(root, "broadcast");
    together("broadcast from " + std::to_string(root), data, [&] {
      require_equal_sizes<std::span<std::byte>>("broadcast");
      const auto& source = of<std::span<std::byte>>(root);
      if (root != rank_ && !source.empty()) std::memcpy(data.data(), source.data(), source.size());
    });
  }

  void all_reduce(std::span<std::uint64_t> values, Reduce operation) override {
    const std::vector<std::uint64_t> mine(values.begin(), values.end());
    together("all_reduce " + std::to_string(static_cast<int>(operation)), mine, [&] {
      require_equal_sizes<std::vector<std::uint64_t>>("all_reduce");
      for (int r = 0; r < size(); ++r) {
        if (r == rank_) continue;
        const auto& theirs = of<std::vector<std::uint64_t>>(r);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = combine(values[i], theirs[i], operation);
      }
    });
  }

  Parts gather(std::span<const std::byte> mine, int root) override {
    require_rank(root, "gather");
    Parts parts;
    together("gather to " + std::to_string(root), mine, [&] {
      for (int r = 0; root == rank_ && r < size(); ++r) {
        const auto& theirs = of<std::span<const std::byte>>(r);
        parts.emplace_back(theirs.begin(), theirs.end());
      }
    });
    return parts;
  }

  std::vector<std::byte> scatter(const Parts& parts, int root) override {
    require_rank(root, "scatter");
    std::vector<std::byte> mine;
    together("scatter from " + std::to_string(root), parts, [&] {
      const auto& given = of<Parts>(root);
      if (given.size() != static_cast<std::size_t>(size())) refuse("scatter: the parts are not one per rank");
      mine = given[static_cast<std::size_t>(rank_)];
    });
    return mine;
  }

  std::vector<Message> all_to_all(std::vector<Message> outgoing) override {
    std::vector<Message> incoming;
    for (const Message& message : outgoing) count(message.bytes.size());
    together("all_to_all", outgoing, [&] {
      for (int r = 0; r < size(); ++r) {
        std::vector<bool> addressed(static_cast<std::size_t>(size()));
        for (const Message& message : of<std::vector<Message>>(r)) {
          require_rank(message.rank, "all_to_all");
          if (addressed[static_cast<std::size_t>(message.rank)]) refuse("all_to_all: two messages for one rank");
          addressed[static_cast<std::size_t>(message.rank)] = true;
          if (message.rank == rank_) incoming.push_back({r, message.bytes});
        }
      }
    });
    return incoming;
  }

  std::unique_ptr<Comm> split(int colour, int key) override {
    struct Wish {
      int colour, key;
    };
    const Wish wish{colour, key};
    std::vector<std::pair<int, int>> members;  // key, rank
    together("split", wish, [&] {
      for (int r = 0; r < size(); ++r) {
        if (of<Wish>(r).colour == colour) members.emplace_back(of<Wish>(r).key, r);
      }
    });
    std::sort(members.begin(), members.end());
    std::shared_ptr<Meeting> made, joined;  // made by the first of each group, for all of it
    if (colour >= 0 && members.front().second == rank_) made = make_meeting(members);
    together("split", made, [&] {
      if (colour >= 0) joined = of<std::shared_ptr<Meeting>>(members.front().second);
    });
    if (colour < 0) return nullptr;
    const auto place = std::find(members.begin(), members.end(), std::pair<int, int>(key, rank_));
    return std::make_unique<ThreadComm>(world_, joined, static_cast<int>(place - members.begin()), ranks_per_node_,
                                        traffic_);
  }

  std::unique_ptr<Comm> split_by_node() override { return split(rank_ / ranks_per_node_, rank_); }

  std::unique_ptr<comm::Flight> start_send(std::span<const std::byte> bytes, int to, int channel) override {
    require_rank(to, "send");
    count(bytes.size());
    return std::make_unique<Sent>(world_, meeting_, world_.post({meeting_.get(), rank_, to, channel, bytes}));
  }

  std::unique_ptr<comm::Flight> start_receive(std::span<std::byte> bytes, int from, int channel) override {
    require_rank(from, "receive");
    return std::make_unique<Expected>(world_, meeting_, bytes, from, rank_, channel);
  }

 private:
  // Both meetings, whatever `read` throws: the others are not left waiting.
  template <class T, class Read>
  void together(const std::string& operation, const T& mine, Read read) {
    if (traffic_ != nullptr) ++traffic_->collectives;
    meeting_->meet(rank_, operation, &mine);
    std::exception_ptr failure;
    try {
      read();
    } catch (...) {
      failure = std::current_exception();
    }
    meeting_->meet(rank_, operation + " (end)");
    if (failure) std::rethrow_exception(failure);
  }

  void count(std::size_t bytes) {
    if (traffic_ == nullptr) return;
    ++traffic_->messages;
    traffic_->bytes += bytes;
  }

  template <class T>
  const T& of(int rank) const {
    return *static_cast<const T*>(meeting_->contribution(rank));
  }

  template <class T>
  void require_equal_sizes(const char* operation) const {
    for (int r = 1; r < meeting_->size(); ++r) {
      if (of<T>(r).size() != of<T>(0).size()) refuse(std::string(operation) + ": sizes differ between ranks");
    }
  }

  void require_rank(int rank, const char* operation) const {
    if (rank < 0 || rank >= size()) refuse(std::string(operation) + ": there is no rank " + std::to_string(rank));
  }

  std::shared_ptr<Meeting> make_meeting(const std::vector<std::pair<int, int>>& members) {
    std::vector<int> threads;
    for (const auto& [key, rank] : members) threads.push_back(meeting_->thread_of(rank));
    return world_.make_meeting(std::move(threads));
  }

  World& world_;
  std::shared_ptr<Meeting> meeting_;
  int rank_;
  int ranks_per_node_;
  Traffic* traffic_;
};

// What left each body, and which was the first.
struct Outcomes {
  std::vector<std::exception_ptr> of_rank;
  std::exception_ptr first;
};

Outcomes run(int n, const RankBody& body, const Simulation& simulation) {
  World world(n);
  std::vector<int> everyone;
  for (int rank = 0; rank < n; ++rank) everyone.push_back(rank);
  const std::shared_ptr<Meeting> meeting = world.make_meeting(std::move(everyone));
  if (simulation.traffic != nullptr) simulation.traffic->assign(static_cast<std::size_t>(n), {});
  Outcomes outcomes{std::vector<std::exception_ptr>(static_cast<std::size_t>(n)), nullptr};
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        Traffic* const traffic = simulation.traffic ? &(*simulation.traffic)[static_cast<std::size_t>(rank)] : nullptr;
        body(std::make_shared<ThreadComm>(world, meeting, rank, simulation.ranks_per_node, traffic));
      } catch (...) {
        const std::lock_guard lock(mutex);
        outcomes.of_rank[static_cast<std::size_t>(rank)] = std::current_exception();
        if (!outcomes.first) outcomes.first = std::current_exception();
      }
      world.leave(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

}  // namespace

void run_ranks(int n, const RankBody& body, const Simulation& simulation) {
  const Outcomes outcomes = run(n, body, simulation);
  if (outcomes.first) std::rethrow_exception(outcomes.first);
}

std::vector<std::exception_ptr> outcomes_of_ranks(int n, const RankBody& body, const Simulation& simulation) {
  return run(n, body, simulation).of_rank;
}

}  // namespace lq::testing
