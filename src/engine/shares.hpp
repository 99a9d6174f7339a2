// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank moves which bytes of a file. The file is divided into domains, each with one owner; a domain is moved in
// chunks. Ranks whose sites interleave in the file form groups: all ranks that differ only in the fastest file
// dimensions of the process grid. The sites of a group are long contiguous pieces of the file, and its members own the
// domains of these pieces in turn. Everything is computed when needed; nothing grows with the number of ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>

#include "lattice/decomposition.hpp"
#include "lattice/rows.hpp"

namespace lq::engine {

// What is moved between a file and the ranks of a process grid.
struct Transfer {
  Payload payload;
  Box region;  // the sites that move, in coordinates of the file's lattice
  const lattice::Decomposition* dealt =
      nullptr;  // decomposition of the region; its coordinates begin at the region's corner
  bool writing = true;

  std::uint64_t site_bytes() const noexcept { return payload.site_bytes(); }
  // The sites of a rank in coordinates of the file's lattice.
  Box box_of(int rank) const;
  // The pieces of the file that hold the sites of a box.
  lattice::Rows rows_of(const Box& box) const;
};

struct ShareOptions {
  int shared_dimensions = 0;       // in the file's order, fastest first: ranks that differ in them form a group
  std::uint64_t owners = 0;        // per group; 0: all its members
  std::uint64_t domain_bytes = 0;  // a multiple of chunk_bytes
  std::uint64_t chunk_bytes = 0;   // at least eight sites
  // Rank 0, which writes the bytes before and after the sites, also owns the first and the last domain: they share a
  // block with these bytes.
  bool root_owns_edges = false;
};

// A piece of the file that its owner moves in one call. In writing, bytes end exactly at the end of the domain, and
// both owners receive a site across the border; in reading it belongs to the chunk in which it begins.
struct Chunk {
  std::uint64_t number = 0;  // its first byte divided by chunk_bytes, or less in the payload's first chunk
  int owner = 0;
  std::uint64_t first_site = 0, end_site = 0;  // numbers of the sites that are needed, in the file's sequence
  std::uint64_t first_counted = 0;  // the first site that begins in the chunk; those before are counted elsewhere
  std::uint64_t first_byte = 0, end_byte = 0;  // in the file

  std::uint64_t sites() const noexcept { return end_site - first_site; }
};

// Queries made in every step of a transfer allocate no memory, except for the ranks that holders() lists. Not
// thread-safe.
class Shares {
 public:
  Shares(const Transfer& transfer, const ShareOptions& options);

  const Transfer& transfer() const noexcept { return transfer_; }
  const ShareOptions& options() const noexcept { return options_; }
  std::uint64_t group_ranks() const noexcept { return members_; }  // with sites, in the largest group
  std::uint64_t owners() const noexcept { return owners_; }        // per group

  // The first chunk from number `from` on in which the rank holds sites, or which it owns.
  std::optional<Chunk> next_held(const Box& mine, std::uint64_t from) const;
  std::optional<Chunk> next_owned(int rank, std::uint64_t from) const;
  // The ranks that hold sites of the chunk, each once, ascending.
  void holders(const Chunk& chunk, std::vector<int>& ranks) const;
  Chunk chunk(std::uint64_t number) const;
  // Numbers of the first chunk and after the last one.
  std::uint64_t first_chunk() const noexcept { return begin_ / options_.chunk_bytes; }
  std::uint64_t end_chunk() const noexcept { return (end_ - 1) / options_.chunk_bytes + 1; }
  // Maximum number of sites that a chunk needs.
  std::uint64_t max_chunk_sites() const noexcept { return options_.chunk_bytes / site_bytes_ + 2; }

 private:
  std::uint64_t site_from(std::uint64_t byte) const noexcept;  // the first site that begins at or after it
  std::uint64_t domain_begin(std::uint64_t domain) const noexcept;
  std::optional<std::uint64_t> first_moved(std::uint64_t site) const;  // first site at or after `site` that is moved
  Box group_of(const Coord& process) const;
  int owner(std::uint64_t domain) const;
  bool is_edge(std::uint64_t domain) const noexcept;
  std::optional<Chunk> next_of_group(int rank, std::uint64_t from) const;
  std::optional<Chunk> next_of_domain(std::uint64_t domain, std::uint64_t from) const;

  Transfer transfer_;
  ShareOptions options_;
  SiteOrder order_;
  std::uint64_t site_bytes_;
  std::uint64_t begin_, end_;  // the payload's bytes
  std::uint64_t members_ = 1;
  std::uint64_t owners_ = 1;
  // Iterators over the sites of the region, and over the sites of one box at a time.
  mutable lattice::Rows region_rows_, rows_;
};

}  // namespace lq::engine
