// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/multi_root.hpp"

#include <exception>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/tree.hpp"

namespace lq::comm {

MultiGather::MultiGather(Comm& comm, std::vector<GatherItem> gatherings, const MineOf& mine_of)
    : comm_(comm), gatherings_(std::move(gatherings)) {
  std::vector<int> ranks;
  for (const GatherItem& one : gatherings_) ranks.push_back(one.last - one.first);
  for (const std::size_t i : turns_of(ranks)) {
    if (gatherings_[i].has(comm.rank())) parts_.push_back({i, mine_of(i)});
  }
}

// All ranks process the gathers in the same order: no rank waits indefinitely.
void MultiGather::gather(const Sink& sink) {
  std::exception_ptr failure;
  for (const Part& part : parts_) {
    const GatherItem& one = gatherings_[part.gathering];
    RankTree tree(comm_, one.first, one.last - one.first, Order::small_first, passing_channel);
    base::keep_failure(failure, [&] {
      gather_up(tree, part.mine, [&](std::span<const std::byte> piece) { sink(part.gathering, piece); });
    });
  }
  if (failure) std::rethrow_exception(failure);
}

// Bytes sent down the trees of tree.hpp: from one root to all ranks, and from several ranks to some each.

namespace {

// Parts in transit down the tree, each preceded by its length. This rank's part stays here; the others are forwarded to
// the right child, in pieces, each preceded by its length.
class Distribution {
 public:
  explicit Distribution(RankTree& tree) : tree_(tree) {}

  bool is_complete() const noexcept { return begun_ == tree_.size() && left_ == 0; }
  // Bytes of the stream, divided anywhere.
  void pass(base::Bytes bytes) {
    while (!bytes.empty()) {
      if (left_ == 0) {
        const std::size_t taken = std::min(length_.size() - known_, bytes.size());
        std::memcpy(length_.data() + known_, bytes.data(), taken);
        known_ += taken;
        bytes = bytes.subspan(taken);
        if (known_ == length_.size()) begin_part();
        continue;
      }
      const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      if (begun_ == 1) {
        keep(bytes.first(taken));
      } else {
        hold(bytes.first(taken));
      }
      left_ -= taken;
      bytes = bytes.subspan(taken);
    }
  }
  // The whole stream, as it arrives from the rank above: receive(room) waits for the next message.
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
  // The whole stream, on the root: part_of(number) in sequence. After an exception the parts are empty; returns the
  // exception.
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
  // This rank's part, after the others were sent; empty, with a failure, if there is no memory for it.
  std::vector<std::byte> take(std::exception_ptr& failure) {
    flush();
    if (!failure) failure = failure_;
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
    known_ = 0;
  }
  void keep(base::Bytes bytes) {
    if (failure_) return;
    base::keep_failure(failure_, [&] { own_.insert(own_.end(), bytes.begin(), bytes.end()); });
    if (failure_) own_ = {};
  }
  void hold(base::Bytes bytes) {
    while (!bytes.empty()) {
      const std::size_t taken = std::min(held_.room(), bytes.size());
      held_.hold(bytes.first(taken));
      bytes = bytes.subspan(taken);
      if (held_.room() == 0) flush();
    }
  }
  void flush() {
    if (held_.held().empty()) return;
    const std::uint64_t length = held_.held().size();
    tree_.send(tree_.children()[child_].root, std::span(&length, 1));
    tree_.send(tree_.children()[child_].root, held_.held());
    held_.clear();
  }

  RankTree& tree_;
  int begun_ = 0;                                        // parts begun
  std::uint64_t left_ = 0;                               // bytes left of the current part
  std::array<std::byte, sizeof(std::uint64_t)> length_;  // length of the next part
  std::size_t known_ = 0;                                // known bytes of length_
  std::size_t child_ = 0;                                // receiver of the held bytes
  PieceBuffer held_;
  std::vector<std::byte> own_;
  std::exception_ptr failure_;
};

using Part = std::vector<std::byte>;

// The stream of the parts of an item.
std::vector<std::byte> stream_of(const ScatterItem& item, base::FunctionRef<Part(int rank)> part_of) {
  std::vector<std::byte> stream;
  const auto add = [&](base::Bytes part) {
    const std::uint64_t length = part.size();
    const base::Bytes head = std::as_bytes(std::span(&length, 1));
    stream.insert(stream.end(), head.begin(), head.end());
    stream.insert(stream.end(), part.begin(), part.end());
  };
  stream.reserve(sizeof(std::uint64_t) * static_cast<std::size_t>(item.ranks()));
  for (int rank = item.first; rank < item.last; ++rank) add(part_of(rank));
  return stream;
}

}  // namespace

// A stream in flight to another rank, sent in one go, so that the sender waits for no rank.
class MultiScatter::Stream {
 public:
  Stream(std::vector<std::byte> stream, int to) : stream_(std::move(stream)), to_(to) {
    const std::size_t pieces = (stream_.size() + tree_piece_bytes - 1) / tree_piece_bytes;
    lengths_.reserve(pieces);
    flights_.reserve(2 * pieces);
  }
  void start(Comm& comm) {
    for (base::Bytes left = stream_; !left.empty(); left = left.subspan(lengths_.back())) {
      lengths_.push_back(std::min(left.size(), tree_piece_bytes));
      flights_.push_back(comm.start_send(std::as_bytes(std::span(&lengths_.back(), 1)), to_, feeding_channel));
      flights_.push_back(comm.start_send(left.first(lengths_.back()), to_, feeding_channel));
    }
  }
  void wait_for_all() {
    for (Flight& flight : flights_) wait(std::move(flight));
  }

 private:
  std::vector<std::byte> stream_;
  int to_;
  std::vector<std::uint64_t> lengths_;
  std::vector<Flight> flights_;
};

// The state for items in which a rank takes part: allocated before the first message.
struct MultiScatter::State {
  Comm& comm;
  std::vector<ScatterItem> items;
  PartOf part_of;
  std::vector<std::size_t> turns;
  std::vector<Stream> streams;
  std::vector<ScatteredPart> mine;
};

MultiScatter::MultiScatter(Comm& comm, std::vector<ScatterItem> items, PartOf part_of)
    : state_(new State{comm, std::move(items), std::move(part_of), {}, {}, {}}) {
  State& s = *state_;
  std::vector<int> ranks;
  for (const ScatterItem& one : s.items) ranks.push_back(one.ranks());
  s.turns = turns_of(ranks);
  for (const std::size_t i : s.turns) {
    const ScatterItem& one = s.items[i];
    if (one.from != comm.rank() || one.first == comm.rank()) continue;
    s.streams.emplace_back(stream_of(one, [&](int rank) { return s.part_of(i, rank); }), one.first);
  }
  s.mine.reserve(s.turns.size());
}
MultiScatter::MultiScatter(MultiScatter&&) noexcept = default;
MultiScatter::~MultiScatter() = default;

// All ranks process the items in the same order, and every message that does not depend on another is in flight before
// any rank waits: so no rank waits indefinitely, whatever the items are.
std::vector<ScatteredPart> MultiScatter::run() {
  State& s = *state_;
  Comm& comm = s.comm;
  const int me = comm.rank();
  for (Stream& stream : s.streams) stream.start(comm);
  std::exception_ptr failure;
  for (const std::size_t i : s.turns) {
    const ScatterItem& one = s.items[i];
    if (me < one.first || me >= one.last) continue;
    RankTree tree(comm, one.first, one.ranks(), Order::large_first, passing_channel);
    Distribution distribution(tree);
    if (!tree.is_root()) {
      distribution.take_in([&](base::MutableBytes room) { tree.receive(tree.parent(), room); });
    } else if (one.from == me) {
      const std::exception_ptr made = distribution.make([&](int number) { return s.part_of(i, tree.rank_of(number)); });
      if (!failure) failure = made;
    } else {
      distribution.take_in([&](base::MutableBytes room) { wait(comm.start_receive(room, one.from, feeding_channel)); });
    }
    s.mine.push_back({i, distribution.take(failure)});
  }
  for (Stream& stream : s.streams) stream.wait_for_all();
  if (failure) std::rethrow_exception(failure);
  std::ranges::sort(s.mine, {}, &ScatteredPart::item);
  return std::move(s.mine);
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
  std::vector<std::byte> mine = distribution.take(failure);
  if (failure) std::rethrow_exception(failure);
  return mine;
}

std::vector<std::byte> Comm::scatter(const std::vector<std::vector<std::byte>>& parts, int root) {
  return scatter_parts(
      [&](int rank) {
        if (parts.size() == static_cast<std::size_t>(size())) return parts[static_cast<std::size_t>(rank)];
        base::fail(Code::communication, {}, "scatter: {} parts for a group of {}", parts.size(), size());
      },
      root);
}

}  // namespace lq::comm
