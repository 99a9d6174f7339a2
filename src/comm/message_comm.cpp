// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message_comm.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <exception>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "comm/wire.hpp"

namespace lq::comm {
namespace {

constexpr std::size_t most_groups = 1024;
constexpr std::size_t word_bits = 64;
constexpr std::size_t values_at_once = 512;

// The messages, and the group numbers that this rank has given to existing groups. The tags of a group begin at its
// number times `channels`.
struct SharedState {
  std::shared_ptr<MessageTransport> messages;
  std::bitset<most_groups> used = {};
};

// A message to be received or sent: the rank at the other end, and its size.
struct MessageSize {
  std::int64_t rank = 0;
  std::uint64_t bytes = 0;
};

struct SplitKey {
  std::int64_t colour = 0, key = 0;
};

class MessageComm final : public Comm {
 public:
  // `ranks`: ranks of the messages in the order of this group, in which this one is number `rank`.
  MessageComm(std::shared_ptr<SharedState> shared, std::vector<int> ranks, int rank, std::size_t number)
      : shared_(std::move(shared)), ranks_(std::move(ranks)), rank_(rank), number_(number) {
    shared_->used.set(number_);
  }
  ~MessageComm() override { shared_->used.reset(number_); }
  MessageComm(const MessageComm&) = delete;
  MessageComm& operator=(const MessageComm&) = delete;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return static_cast<int>(ranks_.size()); }

  void barrier() override {
    std::array<std::uint64_t, 1> nothing{};
    all_reduce(nothing, Reduce::max);
  }

  void broadcast(std::span<std::byte> data, int root) override {
    RankTree tree(*this, root, Order::large_first);
    if (data.empty()) return;
    if (!tree.is_root()) tree.receive(tree.parent(), data);
    for (const Subtree& child : tree.children()) tree.send(child.root, base::Bytes(data));
  }

  void all_reduce(std::span<std::uint64_t> values, Reduce operation) override {
    reduce(values,
           [operation](std::uint64_t& mine, std::uint64_t theirs) { mine = combined(mine, theirs, operation); });
  }
  void combine(std::span<Term> terms) override {
    reduce(terms,
           [](Term& mine, const Term& theirs) { mine.value = combined(mine.value, theirs.value, mine.operation); });
  }

  // Rank 0 collects all senders, receivers and sizes and informs the receivers; then the messages are sent.
  std::vector<Message> all_to_all(std::vector<Message> outgoing) override {
    for (const Message& message : outgoing) require_rank(message.rank);
    std::exception_ptr failure;
    std::vector<Message> incoming;
    std::vector<Flight> flights;
    base::keep_failure(failure, [&] {
      incoming = announced(outgoing);
      flights.reserve(incoming.size() + outgoing.size());
    });
    // A message that is not expected would never be received.
    std::array<std::uint64_t, 1> failures{failure ? 1U : 0U};
    all_reduce(failures, Reduce::max);
    if (failure) std::rethrow_exception(failure);
    if (failures[0] != 0) return {};
    for (Message& message : incoming) {
      if (message.rank != rank_) flights.push_back(start_receive(message.bytes, message.rank, tree_channel));
    }
    for (Message& message : outgoing) {
      if (message.rank != rank_) {
        flights.push_back(start_send(message.bytes, message.rank, tree_channel));
      } else {
        std::ranges::find(incoming, rank_, &Message::rank)->bytes = std::move(message.bytes);
      }
    }
    for (Flight& flight : flights) wait(std::move(flight));
    return incoming;
  }

  std::unique_ptr<Comm> split(int colour, int key) override {
    const std::vector<SplitKey> wishes = gathered(SplitKey{colour, key});
    const std::size_t number = free_number();
    if (colour < 0) return nullptr;
    std::vector<int> members;
    for (int r = 0; r < size(); ++r) {
      if (wishes[static_cast<std::size_t>(r)].colour == colour) members.push_back(r);
    }
    std::ranges::stable_sort(members, {}, [&](int r) { return wishes[static_cast<std::size_t>(r)].key; });
    const auto place = std::ranges::find(members, rank_) - members.begin();
    for (int& member : members) member = transport_rank(member);
    return std::make_unique<MessageComm>(shared_, std::move(members), static_cast<int>(place), number);
  }

  std::unique_ptr<Comm> split_by_node() override {
    const std::uint64_t mine = shared_->messages->node();
    const std::vector<std::uint64_t> nodes = gathered(mine);
    return split(static_cast<int>(std::ranges::find(nodes, mine) - nodes.begin()), rank_);
  }

  Flight start_send(std::span<const std::byte> bytes, int to, int channel) override {
    return shared_->messages->start_send(bytes, transport_rank(to), tag(channel));
  }
  Flight start_receive(std::span<std::byte> bytes, int from, int channel) override {
    return shared_->messages->start_receive(bytes, transport_rank(from), tag(channel));
  }

 private:
  int tag(int channel) const noexcept { return static_cast<int>(number_) * channels + channel; }
  void require_rank(int rank) const {
    if (rank >= 0 && rank < size()) return;
    throw Error(Code::communication, "a message for or from rank " + std::to_string(rank) + ": the group has " +
                                         std::to_string(size()) + " ranks");
  }
  int transport_rank(int rank) const {
    require_rank(rank);
    return ranks_[static_cast<std::size_t>(rank)];
  }

  // Reduces up the tree and broadcasts down; add(mine, theirs) for each value.
  template <class T, class Add>
  void reduce(std::span<T> values, const Add& add) {
    RankTree tree(*this, 0, Order::small_first);
    std::array<T, values_at_once> room;
    for (; !values.empty(); values = values.subspan(std::min(values.size(), values_at_once))) {
      const std::span<T> mine = values.first(std::min(values.size(), values_at_once));
      const std::span<T> theirs = std::span(room).first(mine.size());
      for (const Subtree& child : tree.children()) {
        tree.receive(child.root, std::as_writable_bytes(theirs));
        for (std::size_t i = 0; i < mine.size(); ++i) add(mine[i], theirs[i]);
      }
      if (!tree.is_root()) {
        tree.send(tree.parent(), std::as_bytes(mine));
        tree.receive(tree.parent(), std::as_writable_bytes(mine));
      }
      for (std::size_t i = tree.children().size(); i-- > 0;) tree.send(tree.children()[i].root, std::as_bytes(mine));
    }
  }

  // Collective. The values of all ranks, on all ranks.
  template <class T>
  std::vector<T> gathered(const T& mine) {
    std::vector<T> all = agree(*this, [&] { return std::vector<T>(ranks_.size()); });
    all_gather(*this, mine, std::span(all));
    return all;
  }

  // Collective. The messages to be received, by sender, with memory for their bytes.
  std::vector<Message> announced(const std::vector<Message>& outgoing) {
    std::exception_ptr failure;
    std::vector<std::byte> mine, received;
    std::vector<std::vector<std::byte>> for_rank;
    base::keep_failure(failure, [&] {
      for (const Message& message : outgoing) append(mine, MessageSize{message.rank, message.bytes.size()});
    });
    base::keep_failure(failure, [&] {
      const auto of_rank = gather(mine, 0);
      if (rank_ != 0) return;
      for_rank.resize(ranks_.size());
      for (std::size_t from = 0; from < of_rank.size(); ++from) {
        for (const MessageSize& one : take_all<MessageSize>(of_rank[from])) {
          append(for_rank[static_cast<std::size_t>(one.rank)], MessageSize{static_cast<std::int64_t>(from), one.bytes});
        }
      }
    });
    base::keep_failure(failure, [&] {
      received = scatter_parts(
          [&](int r) {
            return for_rank.empty() ? std::vector<std::byte>() : std::move(for_rank[static_cast<std::size_t>(r)]);
          },
          0);
    });
    if (failure) std::rethrow_exception(failure);
    std::vector<Message> incoming;
    for (const MessageSize& one : take_all<MessageSize>(received)) {
      incoming.push_back({static_cast<int>(one.rank), std::vector<std::byte>(one.bytes)});
    }
    return incoming;
  }

  // Collective. A group number that none of the ranks has given to another group.
  std::size_t free_number() {
    std::array<std::uint64_t, most_groups / word_bits> used{};
    for (std::size_t i = 0; i < most_groups; ++i) {
      used[i / word_bits] |= std::uint64_t{shared_->used[i] ? 1U : 0U} << i % word_bits;
    }
    all_reduce(used, Reduce::bit_or);
    const auto there = std::min(most_groups, static_cast<std::size_t>(shared_->messages->tags() / channels));
    std::size_t number = 0;
    while (number < there && (used[number / word_bits] >> number % word_bits & 1) != 0) ++number;
    if (number < there) return number;
    throw Error(Code::too_large, "no more than " + std::to_string(there) +
                                     " groups of ranks can exist at the same time: the communicator has no more tags");
  }

  std::shared_ptr<SharedState> shared_;
  std::vector<int> ranks_;
  int rank_;
  std::size_t number_;
};

}  // namespace

std::unique_ptr<Comm> make_message_comm(std::shared_ptr<MessageTransport> messages) {
  const int rank = messages->rank();
  std::vector<int> all(static_cast<std::size_t>(messages->size()));
  std::iota(all.begin(), all.end(), 0);
  return std::make_unique<MessageComm>(std::make_shared<SharedState>(SharedState{std::move(messages)}), std::move(all),
                                       rank, 0);
}

}  // namespace lq::comm
