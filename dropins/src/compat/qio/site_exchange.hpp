// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a record between the functions of all nodes and the file, in chunks that their owners write or read
// whole: whoever has sites of a chunk packs them for its owner, and turns and sums them; the owner puts them in the
// file's order. One code for any layout. Memory: a chunk, one of those that arrive, and what this node has of the
// chunks of a round. Where a node has a core for it, a second chunk is with the storage meanwhile.
#pragma once

#include <array>
#include <exception>
#include <memory>
#include <vector>

#include "comm/background_task.hpp"
#include "comm/comm.hpp"
#include "compat/qio/domains.hpp"
#include "compat/qio/node_sites.hpp"
#include "compat/qio/site_form.hpp"
#include "storage/transport.hpp"

namespace lq::compat::qio {

// Where the sites are.
struct SitePlace {
  storage::File* file = nullptr;
  std::uint64_t offset = 0;  // of the first, in the file
  std::uint64_t sites = 0;   // of all nodes
  int leader = 0;            // who writes what is before and after them
  storage::StorageTraits unit = {};
};

class SiteExchange {
 public:
  // Collective, agreed. All of it outlives the object.
  SiteExchange(comm::Comm& comm, const NodeSites& sites, const SitePlace& place, const SiteCall& call);

  // Collective. What went wrong on this node; the others have done their part all the same.
  std::exception_ptr write();
  std::exception_ptr read();
  // Of the sites of this node.
  Checksum checksum() const noexcept { return form_.checksum(); }

 private:
  struct Span {
    std::uint64_t position = 0, sites = 0;
  };
  // A node that has sites of my domain.
  struct Peer {
    int node = 0;
    std::vector<Span> spans;
    std::size_t next = 0;      // the first span that is not passed yet
    std::uint64_t passed = 0;  // of its sites
  };

  static Domains domains_of(const comm::Comm& comm, const SitePlace& place, std::uint64_t site_bytes);
  void learn_peers();
  void reserve();

  template <class Work>
  void for_each_piece(const Domains::Chunk& chunk, Work&& work) const;
  std::uint64_t sites_in(const Domains::Chunk& chunk) const;
  template <class Work>
  static std::uint64_t for_each_span(Peer& peer, const Domains::Chunk& chunk, Work&& work);

  void write_round(std::uint64_t round);
  void read_round(std::uint64_t round);
  void store(const Domains::Chunk& chunk);
  void begin_reading(std::uint64_t round);
  void finish_reading(const Domains::Chunk& chunk);
  void hand_over_borders();
  void wait_for_all();

  std::byte* chunk_at(const Domains::Chunk& chunk, std::uint64_t position) noexcept {
    return chunk_ + (position - chunk.begin) * form_.site_bytes();
  }
  std::uint64_t byte_of(std::uint64_t position) const noexcept { return place_.offset + position * form_.site_bytes(); }
  // Of an owner's first block, which that of the one before writes: its end.
  std::uint64_t head_end(int owner) const noexcept;
  std::byte* chunk_of(std::uint64_t round) const noexcept {
    return chunks_[storage_.has_thread() ? static_cast<std::size_t>(round % 2) : 0].get();
  }
  // Of the last block of all, which the leader writes: its beginning.
  std::uint64_t tail_begin() const noexcept;

  comm::Comm& comm_;
  const NodeSites& sites_;
  SitePlace place_;
  SiteForm form_;
  Domains domains_;
  comm::Channel channel_;
  int mine_;  // my domain; -1: none
  std::vector<Peer> peers_;
  std::array<std::unique_ptr<std::byte[]>, 2> chunks_;  // in turn; one where there is no second thread
  std::byte* chunk_ = nullptr;                          // that this thread works on
  std::unique_ptr<std::byte[]> arriving_, leaving_;
  std::vector<std::byte> head_, tail_, arriving_border_;
  std::vector<comm::Flight> flights_;
  std::exception_ptr failure_;
  std::exception_ptr missing_;    // why the chunk that was to be read is not there
  comm::BackgroundTask storage_;  // uses the others
};

}  // namespace lq::compat::qio
