// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks of one node, and their communication without messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/comm.hpp"

namespace lq::comm {

// The kernel can read the memory of another process of this machine without that process's participation. This is
// permitted between processes of one user, unless the system (ptrace scope, container) forbids it.

// A piece of another process's memory.
struct NeighbourPiece {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// Copies the pieces contiguously to `to`, which is large enough. Returns 0, or errno.
int pull(std::int64_t process, std::span<const NeighbourPiece> pieces, std::byte* to) noexcept;

// Memory shared by all ranks of a node: one area per rank, each beginning with a page.
class SharedMemory {
 public:
  // Collective over the ranks of one node. The areas hold zeros. nullptr on all ranks if the system has no such memory:
  // containers often limit it.
  static std::unique_ptr<SharedMemory> create(Comm& node, std::uint64_t bytes_per_rank);
  // The same, with an object in the shared memory file system, or with one without a name.
  static std::unique_ptr<SharedMemory> create(Comm& node, std::uint64_t bytes_per_rank, bool has_name);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::uint64_t bytes_per_rank() const noexcept { return bytes_per_rank_; }
  // The area of the node's rank `index`.
  std::byte* area(int index) const noexcept { return start_ + static_cast<std::uint64_t>(index) * bytes_per_rank_; }

 private:
  SharedMemory(std::uint64_t bytes, std::uint64_t bytes_per_rank) noexcept
      : bytes_(bytes), bytes_per_rank_(bytes_per_rank) {}
  bool map(int descriptor) noexcept;

  std::byte* start_ = nullptr;
  std::uint64_t bytes_;
  std::uint64_t bytes_per_rank_;
};

class Node {
 public:
  // Local. Comm::node() calls discover().
  explicit Node(Comm& comm) : all_(comm) {}
  // Collective over `comm`.
  void discover();

  // Ranks of `comm` on this node, ascending.
  const std::vector<int>& ranks() const noexcept { return ranks_; }
  // The index of this rank among them, and of any rank of the node.
  int index() const noexcept { return comm_->rank(); }
  std::optional<int> index_of(int rank) const noexcept;
  Comm& comm() const noexcept { return *comm_; }

  // The same on all ranks of all nodes.
  bool is_only() const noexcept { return is_only_; }    // all ranks are on one node
  int largest() const noexcept { return largest_; }     // ranks on the fullest node
  bool can_pull() const noexcept { return can_pull_; }  // from the memory of other ranks

  // Cores that only this rank uses: a core on which several ranks may run is assigned to one of them. At least 1.
  int own_cores() const noexcept { return own_cores_; }

  struct Made {
    std::uint64_t number = 0;  // the same on all ranks
    std::unique_ptr<SharedMemory> memory;
  };

  // A transfer's use of shared memory, returned in the destructor.
  class Lease {
   public:
    // Local. An empty lease.
    explicit Lease(Node& node);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    std::byte* area(int index) const noexcept { return made_.memory->area(index); }

   private:
    friend Node;
    Node* node_;
    Made made_;
  };

  // Collective over all nodes. At least the given number of bytes for each rank, with any contents. Memory that is no
  // longer used is reused, because new pages cost as much as writing to a file. nullptr on all ranks of all nodes if
  // one of them has none.
  std::unique_ptr<Lease> lease(std::uint64_t bytes_per_rank);
  // The same in two steps. Local: what this rank could reuse, for an agreement of the caller in which all ranks create
  // an empty lease.
  static constexpr std::size_t lease_terms = 2;
  void report_free(std::uint64_t bytes_per_rank, std::span<Term, lease_terms> terms) const noexcept;
  // Collective only if memory has to be created. True if the lease now has memory on all ranks of all nodes.
  bool fill(Lease& lease, std::uint64_t bytes_per_rank, std::span<const Term, lease_terms> of_all);

 private:
  Comm& all_;
  std::unique_ptr<Comm> comm_;
  std::vector<int> ranks_;
  bool is_only_ = true;
  bool can_pull_ = false;
  int largest_ = 1;
  int own_cores_ = 1;
  std::uint64_t made_ = 0;
  std::size_t leases_ = 0;  // not yet returned, or still empty
  std::vector<Made> free_;
};

// The number of threads of an operation.

// Collective. `asked` may differ between ranks. 0: one for each core that the rank has to itself, but no more than are
// useful for its part of `bytes`, the total of all ranks.
int thread_count(comm::Comm& comm, int asked, std::uint64_t bytes);
// Local. For a process that works alone.
int thread_count(int asked, std::uint64_t bytes);
// The given number of threads, limited by memory if each takes `bytes_each`; at least 1.
int within(int threads, std::uint64_t memory_bytes, std::uint64_t bytes_each) noexcept;

}  // namespace lq::comm
