// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes down the trees of tree.hpp: from a root to all, and from several ranks to some each.
#include "comm/dealing.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/keep_failure.hpp"
#include "comm/rank_tree.hpp"
#include "comm/tree.hpp"
#include "comm/wait.hpp"

namespace lq::comm {
namespace {

// Parts on their way down, each preceded by its length: one's own stays here, the others go to the child they are for,
// in pieces, each preceded by its length.
class Distribution {
 public:
  explicit Distribution(RankTree& tree) : tree_(tree) {}

  bool is_complete() const noexcept { return begun_ == tree_.size() && left_ == 0; }
  // Bytes of the stream, cut anywhere.
  void pass(base::Bytes bytes) {
    while (!bytes.empty()) {
      if (left_ == 0) {
        const std::size_t taken = std::min(sizeof left_ - length_.size(), bytes.size());
        length_.insert(length_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
        bytes = bytes.subspan(taken);
        if (length_.size() == sizeof left_) begin_part();
        continue;
      }
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      if (begun_ == 1) {
        own_.insert(own_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      } else {
        hold(bytes.first(taken));
      }
      left_ -= taken;
      bytes = bytes.subspan(taken);
    }
  }
  // All of it, as it comes from the rank above: receive(room) waits for the next message.
  template <class Receive>
  void take_in(const Receive& receive) {
    PieceBuffer buffer;
    while (!is_complete()) {
      std::uint64_t length = 0;
      receive(std::as_writable_bytes(std::span(&length, 1)));
      const base::MutableBytes piece = buffer.room_for(length);
      receive(piece);
      pass(piece);
    }
  }
  // All of it, on the root: part_of(number), one after the other. Once it has thrown, parts are empty; returns what it
  // threw.
  template <class PartOf>
  std::exception_ptr make(const PartOf& part_of) {
    std::exception_ptr failure;
    for (int number = 0; number < tree_.size(); ++number) {
      std::vector<std::byte> part;
      try {
        if (!failure) part = part_of(number);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::uint64_t length = part.size();
      pass(std::as_bytes(std::span(&length, 1)));
      pass(part);
    }
    return failure;
  }
  // This rank's own, when the others are on their way.
  std::vector<std::byte> take() {
    flush();
    return std::move(own_);
  }

 private:
  void begin_part() {
    std::memcpy(&left_, length_.data(), sizeof left_);
    if (begun_ > 0) {
      const int here = tree_.children().front().root - 1;
      while (here + begun_ >= tree_.children()[child_].end) {
        flush();
        ++child_;
      }
      hold(length_);
    }
    ++begun_;
    length_.clear();
  }
  void hold(base::Bytes bytes) {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(tree_piece_bytes - held_.size(), bytes.size());
      if (held_.size() + taken > few_bytes) held_.reserve(tree_piece_bytes);
      held_.insert(held_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
      bytes = bytes.subspan(taken);
      if (held_.size() == tree_piece_bytes) flush();
    }
  }
  void flush() {
    if (held_.empty()) return;
    const std::uint64_t length = held_.size();
    tree_.send(tree_.children()[child_].root, std::span(&length, 1));
    tree_.send(tree_.children()[child_].root, held_);
    held_.clear();
  }

  static constexpr std::size_t few_bytes = 4096;  // that ranks near the leaves hold

  RankTree& tree_;
  int begun_ = 0;                  // parts
  std::uint64_t left_ = 0;         // of the part that was begun last
  std::vector<std::byte> length_;  // of the next, as far as it has come
  std::size_t child_ = 0;          // that gets what is held
  std::vector<std::byte> held_;
  std::vector<std::byte> own_;
};

using Part = std::vector<std::byte>;

// The stream of the parts of a dealing; where one cannot be made, all are empty.
std::vector<std::byte> stream_of(const Dealing& dealing, const std::function<Part(int rank)>& part_of,
                                 std::exception_ptr& failure) {
  std::vector<std::byte> stream;
  const auto add = [&](base::Bytes part) {
    const std::uint64_t length = part.size();
    const base::Bytes head = std::as_bytes(std::span(&length, 1));
    stream.insert(stream.end(), head.begin(), head.end());
    stream.insert(stream.end(), part.begin(), part.end());
  };
  stream.reserve(sizeof(std::uint64_t) * static_cast<std::size_t>(dealing.ranks()));
  try {
    for (int rank = dealing.first; rank < dealing.last; ++rank) add(part_of(rank));
  } catch (...) {
    if (!failure) failure = std::current_exception();
    stream.clear();
    for (int rank = dealing.first; rank < dealing.last; ++rank) add({});
  }
  return stream;
}

// A stream on its way to another rank, all of it at once, so that who sends it waits for nobody.
class Feed {
 public:
  Feed(Comm& comm, std::vector<std::byte> stream, int to, int channel) : stream_(std::move(stream)) {
    const std::size_t pieces = (stream_.size() + tree_piece_bytes - 1) / tree_piece_bytes;
    lengths_.reserve(pieces);
    flights_.reserve(2 * pieces);
    for (base::Bytes left = stream_; !left.empty(); left = left.subspan(lengths_.back())) {
      lengths_.push_back(std::min(left.size(), tree_piece_bytes));
      flights_.push_back(comm.start_send(std::as_bytes(std::span(&lengths_.back(), 1)), to, channel));
      flights_.push_back(comm.start_send(left.first(lengths_.back()), to, channel));
    }
  }
  void wait_for_all() {
    for (const auto& flight : flights_) wait(*flight);
  }

 private:
  std::vector<std::byte> stream_;
  std::vector<std::uint64_t> lengths_;
  std::vector<std::unique_ptr<Flight>> flights_;
};

// Of the dealings to several ranks every second one, then the others: in neither half have two a rank in common. Last
// those to one rank each, who passes nothing on.
std::vector<std::size_t> turns_of(std::span<const Dealing> dealings) {
  std::array<std::vector<std::size_t>, 3> turns;
  std::size_t several = 0;
  for (std::size_t i = 0; i < dealings.size(); ++i) {
    const int ranks = dealings[i].ranks();
    if (ranks > 0) turns[ranks == 1 ? 2 : several++ % 2].push_back(i);
  }
  std::vector<std::size_t> all;
  for (const auto& some : turns) all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace

// All ranks take the dealings in the same order, and every message that does not follow from another is under way
// before anyone waits: so nobody waits for ever, whatever is dealt to whom.
std::vector<Dealt> deal_out(Comm& comm, std::span<const Dealing> dealings, const PartOfDealing& part_of) {
  const int me = comm.rank();
  const int feeding = comm.size() > 1 ? comm.next_channel() : 0, passing = comm.size() > 1 ? comm.next_channel() : 0;
  const std::vector<std::size_t> turns = turns_of(dealings);
  std::exception_ptr failure;
  std::vector<Feed> feeds;
  for (const std::size_t i : turns) {
    const Dealing& one = dealings[i];
    if (one.from != me || one.first == me) continue;
    feeds.emplace_back(comm,
                       stream_of(
                           one, [&](int rank) { return part_of(i, rank); }, failure),
                       one.first, feeding);
  }
  std::vector<Dealt> mine;
  for (const std::size_t i : turns) {
    const Dealing& one = dealings[i];
    if (me < one.first || me >= one.last) continue;
    RankTree tree(comm, one.first, one.ranks(), Order::large_first, passing);
    Distribution distribution(tree);
    if (!tree.is_root()) {
      distribution.take_in([&](base::MutableBytes room) { tree.receive(tree.parent(), room); });
    } else if (one.from == me) {
      const std::exception_ptr made = distribution.make([&](int number) { return part_of(i, tree.rank_of(number)); });
      if (!failure) failure = made;
    } else {
      distribution.take_in([&](base::MutableBytes room) { wait(*comm.start_receive(room, one.from, feeding)); });
    }
    mine.push_back({i, distribution.take()});
  }
  for (Feed& feed : feeds) feed.wait_for_all();
  if (failure) std::rethrow_exception(failure);
  std::ranges::sort(mine, {}, &Dealt::dealing);
  return mine;
}

std::vector<std::byte> Comm::scatter_parts(const PartOf& part_of, int root) {
  RankTree tree(*this, root, Order::large_first);
  Distribution distribution(tree);
  std::exception_ptr failure;
  if (tree.is_root()) {
    failure = distribution.make([&](int number) { return part_of(tree.rank_of(number)); });
  } else {
    distribution.take_in([&](base::MutableBytes room) { tree.receive(tree.parent(), room); });
  }
  std::vector<std::byte> mine = distribution.take();
  if (failure) std::rethrow_exception(failure);
  return mine;
}

std::vector<std::byte> Comm::scatter(const std::vector<std::vector<std::byte>>& parts, int root) {
  return scatter_parts(
      [&](int rank) {
        if (parts.size() == static_cast<std::size_t>(size())) return parts[static_cast<std::size_t>(rank)];
        throw Error(Code::communication, fmt::format("scatter: {} parts for a group of {}", parts.size(), size()));
      },
      root);
}

}  // namespace lq::comm
