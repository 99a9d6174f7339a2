// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The part of a layout that stays in the objects of open files, where programs look at it, and what all of these have.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <qio.h>
#include <limequat/grid.hpp>

#include "comm/comm.hpp"
#include "compat/qio/node_sites.hpp"
#include "storage/transport.hpp"

namespace lq::compat::qio {

// Sites that are a box of the lattice, in which each node has a box of its own, or nothing. Dimensions of which every
// node has all are one with the next slower one: the numbers of sites stay, and rows are as long as they can be.
struct Boxes {
  Extents lattice;
  Box region;
  Box own;    // of this node, where it has sites
  Grid grid;  // of all nodes, whichever of them has which box
};

// Collective. Those of all nodes, whichever way the sites are numbered in them; nothing where they are no boxes of the
// same extents, each in one place of a grid. `nodes` outlives it.
std::optional<Boxes> boxes_of(comm::Comm& nodes, const Extents& lattice, const NodeSites& mine);

// From malloc, so that the object is one of C; freed by free_layout.
DML_Layout* copy_layout(const QIO_Layout& layout);
void free_layout(DML_Layout* layout) noexcept;
// False without memory.
bool set_extents(DML_Layout& layout, const int* extents, int count) noexcept;

// What programs that go below QIO find in it of who writes; its function can only be one that takes no argument.
void set_io_nodes(DML_Layout& layout, const QIO_Filesystem* fs);

// Who writes and reads files. Of a file system only the two functions are looked at that the original calls: programs
// leave its other members as they were, which is anything.
struct IoNodes {
  explicit IoNodes(const QIO_Filesystem* fs);
  int master() const { return master_; }
  int of(int node) const { return of_node_(node); }
  DML_io_node_t function() const { return of_node_; }

 private:
  DML_io_node_t of_node_;
  int master_;
};

// The name of a node's file. QIO_BAD_ARG: longer than QIO's may be.
std::string name_of_part(const std::string& name, int volfmt, int node);

inline bool is_in_parts(int volfmt) noexcept { return volfmt != QIO_SINGLEFILE; }

// The nodes that share a file, and how their sites lie in it.
struct FileNodes {
  comm::Comm* comm = nullptr;
  std::unique_ptr<comm::Comm> own;       // where it is not all nodes
  int leader = 0;                        // who has the file's headers
  int file_node = 0;                     // after which the file is named
  std::uint64_t sites = 0;               // of all its nodes
  NodeSites order;                       // of this one
  std::vector<std::uint64_t> site_list;  // of the leader, where the file has one
  std::optional<Boxes> boxes = {};       // where its nodes have one each

  bool leads() const noexcept { return comm->rank() == leader; }
};

// Collective. The ranks of the sites of all nodes, ascending, on all of them.
std::vector<std::uint64_t> ranks_of_all(comm::Comm& comm, const NodeSites& sites);

// Collective over `all`; throws on this node or on all.
FileNodes make_file_nodes(comm::Comm& all, int volfmt, const IoNodes& io_nodes, const QIO_Layout& layout);

}  // namespace lq::compat::qio
