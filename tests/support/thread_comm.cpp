// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The operations on threads; their memory is the network's, not that of the ranks. A rank hands in a pointer, all meet,
// and the last one does the work of all: each goes on with what it was given.
#include "support/thread_comm.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <limequat/error.hpp>

#include "comm/wire.hpp"
#include "support/held_memory.hpp"
#include "support/meeting.hpp"
#include "support/turns.hpp"

namespace lq::testing {
namespace {

using comm::Message;
using comm::Reduce;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(Code::communication, sentence); }

// Where ranks take turns, another one may go on here.
void step(const World& world, Turns::Because because = Turns::Because::of_a_step) {
  if (world.turns() != nullptr) world.turns()->step(because);
}

class Sent {
 public:
  Sent(World& world, std::shared_ptr<Meeting> group, std::shared_ptr<Letter> letter, int to)
      : world_(world), group_(std::move(group)), letter_(std::move(letter)), to_(to) {}
  Sent(Sent&&) noexcept = default;
  Sent& operator=(Sent&&) = delete;
  // Whoever gives a message up takes its bytes along.
  ~Sent() {
    const OwnedBy network(nullptr);
    if (letter_) world_.take_back(*letter_, *group_, to_);
  }
  bool is_done() {
    const OwnedBy network(nullptr);
    if (world_.was_received(*letter_, *group_, to_)) return true;
    step(world_, Turns::Because::it_waits);
    return world_.was_received(*letter_, *group_, to_);
  }

 private:
  World& world_;
  std::shared_ptr<Meeting> group_;
  std::shared_ptr<Letter> letter_;
  int to_;
};

// Letters of one sender and channel are taken in the order in which their receipts were asked for.
class Expected {
 public:
  Expected(World& world, std::shared_ptr<Meeting> group, std::span<std::byte> bytes, int from, int to, int channel,
           Traffic* traffic)
      : world_(world),
        group_(std::move(group)),
        bytes_(bytes),
        from_(from),
        to_(to),
        channel_(channel),
        traffic_(traffic),
        place_(world.queue_up(*group_, from, to, channel)) {}

  bool is_done() {
    if (done_) return true;
    const OwnedBy network(nullptr);
    std::shared_ptr<Letter> letter = world_.fetch(*group_, from_, to_, channel_, place_);
    if (!letter) {
      step(world_, Turns::Because::it_waits);
      letter = world_.fetch(*group_, from_, to_, channel_, place_);
    }
    if (!letter) return false;
    if (letter->bytes.size() != bytes_.size()) {
      letter->received = true;  // it is gone: who takes it back must not wait for it
      refuse("receive: " + std::to_string(letter->bytes.size()) + " bytes were sent, " + std::to_string(bytes_.size()) +
             " expected");
    }
    if (!bytes_.empty()) std::memcpy(bytes_.data(), letter->bytes.data(), bytes_.size());
    if (traffic_ != nullptr) traffic_->steps = std::max(traffic_->steps + 1, letter->sent_at);
    letter->received = true;
    done_ = true;
    return true;
  }

 private:
  World& world_;
  std::shared_ptr<Meeting> group_;
  std::span<std::byte> bytes_;
  int from_, to_, channel_;
  Traffic* traffic_;
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
    const OwnedBy network(nullptr);
    together("barrier", rank_, [] {});
  }

  void broadcast(std::span<std::byte> data, int root) override {
    const OwnedBy network(nullptr);
    require_rank(root, "broadcast");
    using Bytes = std::span<std::byte>;
    together("broadcast from " + std::to_string(root), data, [&] {
      require_equal_sizes<Bytes>("broadcast");
      const auto& source = of<Bytes>(root);
      for (int r = 0; r < size() && !source.empty(); ++r) {
        if (r != root) std::memcpy(of<Bytes>(r).data(), source.data(), source.size());
      }
    });
  }

  void all_reduce(std::span<std::uint64_t> values, Reduce operation) override {
    reduce("all_reduce " + std::to_string(static_cast<int>(operation)), values,
           [operation](std::uint64_t& sum, std::uint64_t more) { sum = comm::combined(sum, more, operation); });
  }
  void combine(std::span<comm::Term> terms) override {
    reduce("combine", terms, [](comm::Term& sum, const comm::Term& more) {
      if (sum.operation != more.operation) refuse("combine: ranks differ in the operation of a term");
      sum.value = comm::combined(sum.value, more.value, sum.operation);
    });
  }

  std::vector<Message> all_to_all(std::vector<Message> outgoing) override {
    const OwnedBy network(nullptr);
    std::vector<Message> incoming;
    together("all_to_all", Post{outgoing, incoming}, [&] { deliver_all(); });
    for (const Message& message : outgoing) count(message.bytes.size(), message.rank);
    return incoming;
  }

  std::unique_ptr<Comm> split(int colour, int key) override {
    const OwnedBy network(nullptr);
    Wish wish{colour, key};
    Wish* const mine = &wish;
    together("split", mine, [&] { form_groups(); });
    if (colour < 0) return nullptr;
    return std::make_unique<ThreadComm>(world_, std::move(wish.group), wish.rank, ranks_per_node_, traffic_);
  }

  std::unique_ptr<Comm> split_by_node() override { return split(rank_ / ranks_per_node_, rank_); }

  comm::Flight start_send(std::span<const std::byte> bytes, int to, int channel) override {
    const OwnedBy network(nullptr);
    require_rank(to, "send");
    step(world_);
    count(bytes.size(), to);
    const std::uint64_t sent_at = traffic_ == nullptr ? 0 : ++traffic_->steps;
    return comm::Flight(Sent(world_, meeting_, world_.post(*meeting_, rank_, to, channel, bytes, sent_at), to));
  }

  comm::Flight start_receive(std::span<std::byte> bytes, int from, int channel) override {
    const OwnedBy network(nullptr);
    require_rank(from, "receive");
    step(world_);
    return comm::Flight(Expected(world_, meeting_, bytes, from, rank_, channel, traffic_));
  }

 private:
  struct Post {
    const std::vector<Message>& outgoing;
    std::vector<Message>& incoming;
  };
  struct Wish {
    int colour, key;
    std::shared_ptr<Meeting> group = nullptr;
    int rank = 0;  // in the group
  };

  // The last to come does for all what is to be done, while they sleep and their memory stays as it is.
  template <class T>
  void together(const std::string& operation, const T& mine, const std::function<void()>& for_all) {
    step(world_);
    if (traffic_ != nullptr) ++traffic_->collectives;
    const std::uint64_t steps = meeting_->meet(rank_, operation, &mine, traffic_ ? traffic_->steps : 0, for_all);
    if (traffic_ != nullptr) {
      traffic_->steps = steps + static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(size() - 1)));
    }
    meeting_->rethrow();
  }

  void deliver_all() const {
    std::vector<int> addressed_by(static_cast<std::size_t>(size()), -1);
    for (int r = 0; r < size(); ++r) {
      for (const Message& message : of<Post>(r).outgoing) {
        require_rank(message.rank, "all_to_all");
        int& last = addressed_by[static_cast<std::size_t>(message.rank)];
        if (last == r) refuse("all_to_all: two messages for one rank");
        last = r;
        of<Post>(message.rank).incoming.push_back({r, message.bytes});
      }
    }
  }

  // The groups of a split, by colour; their ranks by key.
  void form_groups() const {
    std::map<int, std::vector<std::pair<int, int>>> groups;  // key, rank
    for (int r = 0; r < size(); ++r) {
      const Wish& wish = *of<Wish*>(r);
      if (wish.colour >= 0) groups[wish.colour].emplace_back(wish.key, r);
    }
    for (auto& [colour, members] : groups) {
      std::ranges::sort(members);
      const std::shared_ptr<Meeting> group = make_meeting(members);
      for (std::size_t place = 0; place < members.size(); ++place) {
        Wish& wish = *of<Wish*>(members[place].second);
        wish.group = group;
        wish.rank = static_cast<int>(place);
      }
    }
  }

  int node_of(int rank) const { return meeting_->thread_of(rank) / ranks_per_node_; }

  template <class T, class Add>
  void reduce(const std::string& what, std::span<T> values, const Add& add) {
    const OwnedBy network(nullptr);
    using Values = std::span<T>;
    together(what, values, [&] {
      require_equal_sizes<Values>(what.c_str());
      const Values sum = of<Values>(0);
      for (int r = 1; r < size(); ++r) {
        for (std::size_t i = 0; i < sum.size(); ++i) add(sum[i], of<Values>(r)[i]);
      }
      for (int r = 1; r < size(); ++r) std::ranges::copy(sum, of<Values>(r).begin());
    });
  }
  void count(std::size_t bytes, int to) {
    if (traffic_ == nullptr) return;
    ++traffic_->messages;
    traffic_->bytes += bytes;
    if (node_of(to) == node_of(rank_)) return;
    ++traffic_->messages_abroad;
    traffic_->bytes_abroad += bytes;
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

  std::shared_ptr<Meeting> make_meeting(const std::vector<std::pair<int, int>>& members) const {
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
  static_cast<void>(comm::preallocated_out_of_memory());  // belongs to no rank
  World world(n, simulation.turns);
  std::vector<int> everyone;
  for (int rank = 0; rank < n; ++rank) everyone.push_back(rank);
  const std::shared_ptr<Meeting> meeting = world.make_meeting(std::move(everyone));
  if (simulation.traffic != nullptr) simulation.traffic->assign(static_cast<std::size_t>(n), {});
  Outcomes outcomes{std::vector<std::exception_ptr>(static_cast<std::size_t>(n)), nullptr};
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n; ++rank) {
    threads.emplace_back([&, rank] {
      if (simulation.turns != nullptr) simulation.turns->begin(rank);
      try {
        Traffic* const traffic = simulation.traffic ? &(*simulation.traffic)[static_cast<std::size_t>(rank)] : nullptr;
        body(std::make_shared<ThreadComm>(world, meeting, rank, simulation.ranks_per_node, traffic));
      } catch (...) {
        const std::lock_guard lock(mutex);
        outcomes.of_rank[static_cast<std::size_t>(rank)] = std::current_exception();
        if (!outcomes.first) outcomes.first = std::current_exception();
      }
      world.leave(rank);
      if (simulation.turns != nullptr) simulation.turns->end();
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
