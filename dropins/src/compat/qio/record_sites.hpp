// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of one record: all, or those of a hypercube; what both directions do with them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/grid.hpp>

#include "base/bytes.hpp"
#include "comm/comm.hpp"
#include "comm/team.hpp"
#include "compat/qio/layout_copy.hpp"
#include "compat/qio/node_sites.hpp"
#include "compat/qio/records.hpp"
#include "kernels/pack.hpp"
#include "storage/transport.hpp"

namespace lq::compat::qio {

// Sites between the form that a program's function gives or takes, with the machine's order of bytes, and that of a
// file, which is big-endian; and their checksum.

// What a call gives or takes: get() or put() with what belongs to it.
struct SiteCall {
  void (*function)(char* buf, size_t index, int count, void* arg) = nullptr;
  void* arg = nullptr;
  int count = 0;
  std::uint64_t site_bytes = 0;
  int word_bytes = 0;
};

// Whether words of the given number of bytes are of a kind that QIO writes: bytes, single or double precision.
inline bool is_word(int bytes) noexcept { return bytes == 1 || bytes == 4 || bytes == 8; }

// Reverses the bytes of each word where the machine is little-endian; bytes beyond the last whole word stay.
void turn_words(std::byte* bytes, std::uint64_t size, int word_bytes) noexcept;

class SiteForm {
 public:
  explicit SiteForm(const SiteCall& call);
  std::uint64_t site_bytes() const noexcept { return call_.site_bytes; }

  // Sites skip .. skip + sites - 1 of a run, from the program to a file's bytes.
  void get(const NodeSites& from, const SiteRun& run, std::uint64_t skip, std::uint64_t sites, std::byte* file);
  // The reverse; the file's bytes are changed.
  void put(const NodeSites& to, const SiteRun& run, std::uint64_t skip, std::uint64_t sites, std::byte* file);

  Checksum checksum() const noexcept { return sum_; }

 private:
  bool has_kernel() const noexcept { return numbers_.numbers > 0; }

  SiteCall call_;
  kernels::SiteForm numbers_;  // none: words of other sizes
  kernels::SiteCrc crc_;
  std::uint64_t scratch_sites_;
  std::unique_ptr<std::byte[]> scratch_;
  Checksum sum_;
};

// The sites of a record between the functions of all nodes and the file, in chunks that their owners write or read
// whole: whoever has sites of a chunk packs them for its owner, and turns and sums them; the owner puts them in the
// file's order. One code for any layout. Memory: a chunk, one of those that arrive, and what this node has of the
// chunks of a round. Where a node has a core for it, a second chunk is with the storage meanwhile.

// Who touches which part of a file's sites: as many owners as are worth it have a domain each, and move it chunk by
// chunk, all in step. Arithmetic: the same on all nodes.

inline constexpr std::uint64_t chunk_bytes = 1024 * 1024;

class Domains {
 public:
  // `most_owners`: of `nodes`; `leader` has the first domain.
  Domains(std::uint64_t sites, std::uint64_t site_bytes, int nodes, int most_owners, int leader)
      : sites_(sites), nodes_(static_cast<std::uint64_t>(nodes)), leader_(static_cast<std::uint64_t>(leader)) {
    chunk_sites_ = std::max<std::uint64_t>(1, chunk_bytes / std::max<std::uint64_t>(1, site_bytes));
    const std::uint64_t worth = std::max<std::uint64_t>(1, sites / chunk_sites_);
    owners_ = static_cast<int>(std::min(worth, static_cast<std::uint64_t>(most_owners)));
  }

  int owners() const noexcept { return owners_; }
  std::uint64_t chunk_sites() const noexcept { return chunk_sites_; }
  std::uint64_t begin(int owner) const noexcept {
    const auto k = static_cast<std::uint64_t>(owner), all = static_cast<std::uint64_t>(owners_);
    return sites_ / all * k + sites_ % all * k / all;
  }
  std::uint64_t end(int owner) const noexcept { return begin(owner + 1); }
  // Spread over the nodes.
  int node_of(int owner) const noexcept {
    const std::uint64_t step = static_cast<std::uint64_t>(owner) * nodes_ / static_cast<std::uint64_t>(owners_);
    return static_cast<int>((leader_ + step) % nodes_);
  }
  // -1: none.
  int owner_at(int node) const noexcept {
    for (int owner = 0; owner < owners_; ++owner) {
      if (node_of(owner) == node) return owner;
    }
    return -1;
  }
  std::uint64_t rounds() const noexcept {
    std::uint64_t most = 0;
    for (int owner = 0; owner < owners_; ++owner) most = std::max(most, end(owner) - begin(owner));
    return (most + chunk_sites_ - 1) / chunk_sites_;
  }
  struct Chunk {
    std::uint64_t begin = 0, end = 0;
    bool is_empty() const noexcept { return begin >= end; }
  };
  Chunk chunk(int owner, std::uint64_t round) const noexcept {
    const std::uint64_t last = end(owner), first = std::min(last, begin(owner) + round * chunk_sites_);
    return {first, std::min(last, first + chunk_sites_)};
  }

 private:
  std::uint64_t sites_, nodes_, leader_;
  std::uint64_t chunk_sites_ = 1;
  int owners_ = 1;
};

// Where the sites are.
struct SitePlace {
  storage::File* file = nullptr;
  std::uint64_t offset = 0;  // of the first, in the file
  std::uint64_t sites = 0;   // of all nodes
  int leader = 0;            // who writes what is before and after them
  storage::StorageTraits unit = {};
  bool writes = false;
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
  // Sites of a node that are contiguous in the file.
  struct Span {
    std::uint64_t position = 0, sites = 0;
    std::uint64_t end() const noexcept { return position + sites; }
  };
  // A node that has sites of my domain.
  struct Peer {
    int node = 0;
    std::vector<Span> spans;
  };

  static Domains domains_of(const comm::Comm& comm, const SitePlace& place, std::uint64_t site_bytes);
  void learn_peers();
  void reserve();

  // Calls work(run, sites to skip, sites) for the runs, which ascend in the file, as far as they are in a chunk.
  template <class Runs, class Work>
  static void for_each_piece(const Runs& runs, const Domains::Chunk& chunk, Work&& work);
  template <class Runs>
  static std::uint64_t sites_in(const Runs& runs, const Domains::Chunk& chunk);

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

// Which sites of this node, and how many are in the file of its family.
struct RecordSites {
  const NodeSites* order = nullptr;
  std::uint64_t of_family = 0;
  std::unique_ptr<NodeSites> own = {};  // of a hypercube
  std::optional<Boxes> boxes = {};      // where the nodes of the family have one each
};

// What this node has moved of a record.
struct Moved {
  Checksum sum = {};
  std::uint64_t bytes = 0;
};

// What one file has of a record, and where.
struct RecordPart {
  // Collective. It lies where `leader` has found it.
  void place_at(const FoundRecord& found, comm::Comm& comm, int leader);

  RecordSites sites = {};
  std::uint64_t offset = 0;
  bool is_ildg = false;
  std::string path = {};  // of a file that other nodes have written; empty: the family's, which is open
  std::vector<std::size_t> runs_by_rank = {};  // which run of these sites comes first in the lattice, ...
};

// A field that is read or written site by site.
struct SingleSites {
  bool is_open = false;
  std::uint64_t site_bytes = 0;
  DML_Checksum* checksum = nullptr;  // the program's
  std::uint64_t moved_bytes = 0;     // by this node
  std::vector<RecordPart> parts = {};
  std::unique_ptr<storage::File> file = {};  // of the others that was read last
};

// The hypercube that a layout was set to, within the lattice.
struct Hypercube {
  Extents lattice;
  Box box;
};
Hypercube hypercube_of(const DML_Layout& layout);

// Local. A hypercube, by inclusive bounds in the given number of dimensions. QIO_ERR_BAD_SUBSET.
void set_bounds(DML_Layout& layout, const int* lowest, const int* highest, int count);
// Local. That a call says how many data a site has, and of which words. QIO_BAD_ARG.
void check_call(const SiteCall& call);

// Local. Takes type and bounds of a record over into the layout. QIO_ERR_BAD_SUBSET.
void set_record(DML_Layout& layout, const QIO_RecordInfo& info);

// Collective. Those of the record that the layout was set to.
RecordSites sites_of_record(comm::Comm& all, const FileNodes& family, const DML_Layout& layout, int volfmt);

// Collective. ranks_disagree where the nodes do not write or read the same record.
void require_same_record(comm::Comm& nodes, const QIO_RecordInfo& info, const SiteCall& call);

// Collective. XOR over all nodes.
DML_Checksum combined(comm::Comm& comm, const Checksum& mine);

// The sites of a record of which the nodes have a box each: they travel as those of our own interface do. All others
// take the exchange of this folder.

// Collective over the nodes of the family, agreed. The sites of a record that is written or read; `place` says where
// they lie. What went wrong on this node is kept in `failure`, the others have done their part all the same. Returns
// the sum of this node's sites.
Checksum move_sites(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                    std::exception_ptr& failure);

}  // namespace lq::compat::qio
