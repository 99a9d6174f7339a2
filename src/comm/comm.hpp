// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library needs of a group of ranks: nine collective operations, messages in flight between two ranks, and
// who shares memory with whom. A failure of the message layer is Error(communication). Buffers may exceed 2 GiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <limequat/version.hpp>

namespace lq::comm {

enum class Reduce { sum, min, max, bit_xor, bit_or };

// Bytes for one rank, or from one rank.
struct Message {
  int rank = 0;
  std::vector<std::byte> bytes;
};

class Node;

// A message on its way. Its bytes stay where they are until it is done; destroy it only then.
class Flight {
 public:
  virtual ~Flight() = default;
  virtual bool is_done() = 0;
};

// Visible, for what it does itself is called through the objects of other libraries: that over MPI.
class LQ_API Comm {
 public:
  Comm() = default;
  virtual ~Comm() = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  // `data` has the same size on all ranks.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;
  // Element by element, result on all ranks; sums are modulo 2^64.
  virtual void all_reduce(std::span<std::uint64_t> values, Reduce operation) = 0;
  // The contributions of all ranks, one behind the other, go to `sink` on root, in pieces: first that of root, then
  // those of the ranks behind it, then those of rank 0 and so on. Sizes may differ. What sink throws is thrown on root
  // when all has arrived; it is called no more. In steps that grow with the logarithm of the group, and in bounded
  // memory.
  using Sink = std::function<void(std::span<const std::byte> piece)>;
  virtual void gather_pieces(std::span<const std::byte> mine, int root, const Sink& sink);
  // Each rank gets what part_of(rank) returns on root, where it is called once for each rank. What it throws is thrown
  // on root; those who had not got their part by then get an empty one. Cost as above.
  using PartOf = std::function<std::vector<std::byte>(int rank)>;
  virtual std::vector<std::byte> scatter_parts(const PartOf& part_of, int root);
  // The same at once. On root the contributions in rank order, elsewhere nothing.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root);
  // `parts` (one per rank) matters on root only.
  std::vector<std::byte> scatter(const std::vector<std::vector<std::byte>>& parts, int root);
  // Each rank sends to the ranks it names, at most one message each; returns what was sent here, by sender.
  virtual std::vector<Message> all_to_all(std::vector<Message> outgoing) = 0;
  // Ranks of one colour form a group, ordered by key, then rank. colour < 0: in no group, returns nullptr.
  virtual std::unique_ptr<Comm> split(int colour, int key) = 0;
  // Ranks that may share memory form a group, in the order of their ranks.
  virtual std::unique_ptr<Comm> split_by_node() = 0;

  // Not collective. Messages from one rank to another arrive in the order they were sent; both sides give the same size
  // and channel (0 <= channel < 1024), which keeps transfers apart that are under way at the same time.
  virtual std::unique_ptr<Flight> start_send(std::span<const std::byte> bytes, int to, int channel) = 0;
  virtual std::unique_ptr<Flight> start_receive(std::span<std::byte> bytes, int from, int channel) = 0;

  // Collective. A channel for the messages of one more transfer.
  int next_channel() noexcept { return static_cast<int>(channels_++ % 1024U); }

  // Collective at the first call, which finds out; what the ranks of this rank's node share.
  Node& node();

 private:
  std::shared_ptr<Node> node_;
  unsigned channels_ = 0;
};

// This process alone.
std::unique_ptr<Comm> make_self();

}  // namespace lq::comm
