// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of one record: all, or those of a hypercube; what both directions do with them.
#pragma once

#include "compat/qio/layout_copy.hpp"
#include "compat/qio/records.hpp"
#include "compat/qio/site_exchange.hpp"

namespace lq::compat::qio {

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

// What must be the same on all nodes.
class Agreement {
 public:
  Agreement& add(std::uint64_t number) noexcept;
  Agreement& add(const QIO_RecordInfo& info) noexcept;
  // Collective. ranks_disagree where it is not.
  void check(comm::Comm& comm) const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

// Collective. XOR over all nodes.
DML_Checksum combined(comm::Comm& comm, const Checksum& mine);

}  // namespace lq::compat::qio
