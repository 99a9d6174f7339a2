// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of one record: all, or those of a hypercube; common parts of both directions.
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

// Converts sites between the form of a program's function, with the machine's byte order, and that of a
// file, which is big-endian; and computes their checksum.

// The data of a call: get() or put() with its arguments.
struct SiteCall {
  void (*function)(char* buf, size_t index, int count, void* arg) = nullptr;
  void* arg = nullptr;
  int count = 0;
  std::uint64_t site_bytes = 0;
  int word_bytes = 0;
};

// True if QIO writes words of the given number of bytes: bytes, single or double precision.
inline bool is_word(int bytes) noexcept { return bytes == 1 || bytes == 4 || bytes == 8; }

// Reverses the bytes of each word if the machine is little-endian; bytes after the last whole word stay.
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

// Moves the sites of a record between the functions of all nodes and the file, in chunks; owners write or read these
// whole: nodes with sites of a chunk pack, convert and sum them for its owner, which puts them in
// file order. The same code for any layout. Memory: a chunk, one that arrives, and this node's part of the
// chunks of a round. If a node has a core for it, storage processes a second chunk concurrently.

// Which nodes access which part of a file's sites: a suitable number of owners have a domain each, and move it chunk by
// chunk, all in step. Arithmetic: the same on all nodes.

inline constexpr std::uint64_t chunk_bytes = 1024 * 1024;

class Domains {
 public:
  // `most_owners`: limit for `nodes`; `leader` has the first domain.
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

// The position of the sites.
struct SitePlace {
  storage::File* file = nullptr;
  std::uint64_t offset = 0;  // of the first, in the file
  std::uint64_t sites = 0;   // of all nodes
  int leader = 0;            // the node that writes the data before and after them
  storage::StorageTraits unit = {};
  bool writes = false;
};

class SiteExchange {
 public:
  // Collective, agreed. All arguments must outlive the object.
  SiteExchange(comm::Comm& comm, const NodeSites& sites, const SitePlace& place, const SiteCall& call);

  // Collective. Returns this node's error; the others have done their part nevertheless.
  std::exception_ptr write();
  std::exception_ptr read();
  // For the sites of this node.
  Checksum checksum() const noexcept { return form_.checksum(); }

 private:
  // Sites of a node that are contiguous in the file.
  struct Span {
    std::uint64_t position = 0, sites = 0;
    std::uint64_t end() const noexcept { return position + sites; }
  };
  // A node with sites of my domain.
  struct Peer {
    int node = 0;
    std::vector<Span> spans;
  };

  static Domains domains_of(const comm::Comm& comm, const SitePlace& place, std::uint64_t site_bytes);
  void learn_peers();
  void reserve();

  // Calls work(run, sites to skip, sites) for the runs, ascending in the file, limited to a chunk.
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
  // The end of an owner's first block, which the previous owner writes.
  std::uint64_t head_end(int owner) const noexcept;
  std::byte* chunk_of(std::uint64_t round) const noexcept {
    return chunks_[storage_.has_thread() ? static_cast<std::size_t>(round % 2) : 0].get();
  }
  // The beginning of the last block of all, which the leader writes.
  std::uint64_t tail_begin() const noexcept;

  comm::Comm& comm_;
  const NodeSites& sites_;
  SitePlace place_;
  SiteForm form_;
  Domains domains_;
  comm::Channel channel_;
  int mine_;  // my domain; -1: none
  std::vector<Peer> peers_;
  std::array<std::unique_ptr<std::byte[]>, 2> chunks_;  // alternately; only one if there is no second thread
  std::byte* chunk_ = nullptr;                          // the one this thread works on
  std::unique_ptr<std::byte[]> arriving_, leaving_;
  std::vector<std::byte> head_, tail_, arriving_border_;
  std::vector<comm::Flight> flights_;
  std::exception_ptr failure_;
  std::exception_ptr missing_;    // why the chunk to be read is missing
  comm::BackgroundTask storage_;  // uses the other members
};

// The sites of this node, and the number of sites in the file of its family.
struct RecordSites {
  const NodeSites* order = nullptr;
  std::uint64_t of_family = 0;
  std::unique_ptr<NodeSites> own = {};  // for a hypercube
  std::optional<Boxes> boxes = {};      // if the nodes of the family have one each
};

// What this node has moved of a record.
struct Moved {
  Checksum sum = {};
  std::uint64_t bytes = 0;
};

// The part of a record in one file, and its position.
struct RecordPart {
  // Collective. Sets the position that `leader` has found.
  void place_at(const FoundRecord& found, comm::Comm& comm, int leader);

  RecordSites sites = {};
  std::uint64_t offset = 0;
  bool is_ildg = false;
  std::string path = {};                       // of a file that other nodes have written; empty: the family's open file
  std::vector<std::size_t> runs_by_rank = {};  // the order of these runs in the lattice
};

// A field that is read or written site by site.
struct SingleSites {
  bool is_open = false;
  std::uint64_t site_bytes = 0;
  DML_Checksum* checksum = nullptr;  // the program's
  std::uint64_t moved_bytes = 0;     // by this node
  std::vector<RecordPart> parts = {};
  std::unique_ptr<storage::File> file = {};  // the one of the others that was read last
};

// The hypercube of a layout, within the lattice.
struct Hypercube {
  Extents lattice;
  Box box;
};
Hypercube hypercube_of(const DML_Layout& layout);

// Local. A hypercube, by inclusive bounds in the given number of dimensions. QIO_ERR_BAD_SUBSET.
void set_bounds(DML_Layout& layout, const int* lowest, const int* highest, int count);
// Local. Checks the number of data per site and the word size of a call. QIO_BAD_ARG.
void check_call(const SiteCall& call);

// Local. Copies type and bounds of a record to the layout. QIO_ERR_BAD_SUBSET.
void set_record(DML_Layout& layout, const QIO_RecordInfo& info);

// Collective. The sites of the record that the layout was set to.
RecordSites sites_of_record(comm::Comm& all, const FileNodes& family, const DML_Layout& layout, int volfmt);

// Collective. ranks_disagree if the nodes do not write or read the same record.
void require_same_record(comm::Comm& nodes, const QIO_RecordInfo& info, const SiteCall& call);

// Collective. XOR over all nodes.
DML_Checksum combined(comm::Comm& comm, const Checksum& mine);

// If the nodes have a box of the record's sites each, these are transferred like those of Limequat's own interface. All
// others use the exchange of this folder.

// Collective over the nodes of the family, agreed. Writes or reads the sites of a record at `place`.
// This node's error is stored in `failure`; the others have done their part nevertheless. Returns
// the sum of this node's sites.
Checksum move_sites(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                    std::exception_ptr& failure);

}  // namespace lq::compat::qio
