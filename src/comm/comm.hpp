// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the library needs of a group of ranks: nine operations. Every one is collective; a failure of the
// message layer is Error(communication). Buffers may exceed 2 GiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lq::comm {

enum class Reduce { sum, min, max, bit_xor, bit_or };

// Bytes for one rank, or from one rank.
struct Message {
  int rank = 0;
  std::vector<std::byte> bytes;
};

class Comm {
 public:
  virtual ~Comm() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual void barrier() = 0;
  // `data` has the same size on all ranks.
  virtual void broadcast(std::span<std::byte> data, int root) = 0;
  // Element by element, result on all ranks; sums are modulo 2^64.
  virtual void all_reduce(std::span<std::uint64_t> values, Reduce operation) = 0;
  // On root the contributions in rank order, elsewhere nothing. Sizes may differ.
  virtual std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine, int root) = 0;
  // `parts` (one per rank) matters on root only.
  virtual std::vector<std::byte> scatter(const std::vector<std::vector<std::byte>>& parts, int root) = 0;
  // Each rank sends to the ranks it names, at most one message each; returns what was sent here, by sender.
  virtual std::vector<Message> all_to_all(std::vector<Message> outgoing) = 0;
  // Ranks of one colour form a group, ordered by key, then rank. colour < 0: in no group, returns nullptr.
  virtual std::unique_ptr<Comm> split(int colour, int key) = 0;
};

// This process alone.
std::unique_ptr<Comm> make_self();

}  // namespace lq::comm
