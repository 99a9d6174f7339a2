// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks that run on one node, and what they can do for each other without messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/comm.hpp"

namespace lq::comm {

// Reading out of the memory of another process of this machine, by the kernel, without its help. Permitted between
// processes of one user, unless the system (ptrace scope, container) forbids it.

// A piece of another process's memory.
struct NeighbourPiece {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// The pieces contiguous into `to`, which has room for them. Returns 0, or errno.
int pull(std::int64_t process, std::span<const NeighbourPiece> pieces, std::byte* to) noexcept;

// Memory that all ranks of a node see: one area per rank, each beginning with a page.
class SharedMemory {
 public:
  // Collective over the ranks of one node. The areas hold zeros. nullptr on all ranks when the system has no such
  // memory to give: containers often limit it.
  static std::unique_ptr<SharedMemory> create(Comm& node, std::uint64_t bytes_per_rank);
  // The same, of an object in the shared memory file system, or of one without a name.
  static std::unique_ptr<SharedMemory> create(Comm& node, std::uint64_t bytes_per_rank, bool has_name);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::uint64_t bytes_per_rank() const noexcept { return bytes_per_rank_; }
  // Of the node's rank `index`.
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
  // Local. Comm::node() lets it find out.
  explicit Node(Comm& comm) : all_(comm) {}
  // Collective over `comm`.
  void discover();

  // Ranks of `comm` on this node, ascending.
  const std::vector<int>& ranks() const noexcept { return ranks_; }
  // This rank's place among them, and that of any rank of the node.
  int index() const noexcept { return comm_->rank(); }
  std::optional<int> index_of(int rank) const noexcept;
  Comm& comm() const noexcept { return *comm_; }

  // The same on all ranks of all nodes.
  bool is_only() const noexcept { return is_only_; }    // there is no other node
  int largest() const noexcept { return largest_; }     // ranks of the fullest node
  bool can_pull() const noexcept { return can_pull_; }  // out of the memory of others

  // Cores that this rank may run on and has to itself: where several ranks may run on one, it is dealt to one of them.
  // 1 at least.
  int own_cores() const noexcept { return own_cores_; }

  struct Made {
    std::uint64_t number = 0;  // the same on all ranks
    std::unique_ptr<SharedMemory> memory;
  };

  // A transfer's use of shared memory, given back when it is destroyed.
  class Lease {
   public:
    // Local. Of nothing yet.
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

  // Collective over all nodes. At least the given number of bytes for each rank, with any contents; memory that is not
  // in use any more is used again, because new pages cost as much as writing to a file. nullptr on all ranks of all
  // nodes when one of them has none.
  std::unique_ptr<Lease> lease(std::uint64_t bytes_per_rank);
  // The same in two steps. Local: what this rank could use again, for an agreement of the caller's in which all ranks
  // make a lease of nothing.
  static constexpr std::size_t lease_terms = 2;
  void tell_free(std::uint64_t bytes_per_rank, std::span<Term, lease_terms> terms) const noexcept;
  // Collective only where memory has to be made. Whether the lease has memory now, on all ranks of all nodes.
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
  std::size_t leases_ = 0;  // not yet given back, or of nothing yet
  std::vector<Made> free_;
};

// How many threads an operation gets.

// Collective. `asked` of this rank, which may differ from that of others. 0: as many as the rank has cores to itself,
// but no more than are worth making for its part of `bytes`, which all ranks have to do together.
int thread_count(comm::Comm& comm, int asked, std::uint64_t bytes);
// Local. Of a process that works alone.
int thread_count(int asked, std::uint64_t bytes);
// Of these, as many as there is memory for when each takes `bytes_each`; 1 at least.
int within(int threads, std::uint64_t memory_bytes, std::uint64_t bytes_each) noexcept;

}  // namespace lq::comm
