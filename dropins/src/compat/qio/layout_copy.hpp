// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The part of a layout that stays in the objects of open files, where programs inspect it, and their common parts.
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

// Sites that form a box of the lattice, in which each node has its own box, or nothing. Dimensions that every
// node has completely are joined with the next slower one: site numbers stay, and rows are as long as possible.
struct Boxes {
  Extents lattice;
  Box region;
  Box own;    // of this node, if it has sites
  Grid grid;  // of all nodes, in any assignment of boxes
};

// Collective. The boxes of all nodes, in any numbering of their sites; empty if they are not boxes of the
// same extents, each in one place of a grid. `nodes` must outlive it.
std::optional<Boxes> boxes_of(comm::Comm& nodes, const Extents& lattice, const NodeSites& mine);

// From malloc, so that it is a C object; freed by free_layout.
DML_Layout* copy_layout(const QIO_Layout& layout);
void free_layout(DML_Layout* layout) noexcept;
// False without memory.
bool set_extents(DML_Layout& layout, const int* extents, int count) noexcept;

// Makes the writing nodes visible to programs that use QIO's internals; its function must take no argument.
void set_io_nodes(DML_Layout& layout, const QIO_Filesystem* fs);

// Which nodes write and read files. Of a file system only the two functions that the original calls are used: programs
// leave its other members uninitialised.
struct IoNodes {
  explicit IoNodes(const QIO_Filesystem* fs);
  int master() const { return master_; }
  int of(int node) const { return of_node_(node); }
  DML_io_node_t function() const { return of_node_; }

 private:
  DML_io_node_t of_node_;
  int master_;
};

// The name of a node's file. QIO_BAD_ARG: longer than QIO's limit.
std::string name_of_part(const std::string& name, int volfmt, int node);

inline bool is_in_parts(int volfmt) noexcept { return volfmt != QIO_SINGLEFILE; }

// The nodes that share a file, and the order of their sites in it.
struct FileNodes {
  comm::Comm* comm = nullptr;
  std::unique_ptr<comm::Comm> own;       // if these are not all nodes
  int leader = 0;                        // the node with the file's headers
  int file_node = 0;                     // the file is named after it
  std::uint64_t sites = 0;               // of all its nodes
  NodeSites order;                       // of this node
  std::vector<std::uint64_t> site_list;  // of the leader, if the file has a list
  std::optional<Boxes> boxes = {};       // if its nodes have one box each

  bool leads() const noexcept { return comm->rank() == leader; }
};

// Collective. The ranks of the sites of all nodes, ascending, on all of them.
std::vector<std::uint64_t> ranks_of_all(comm::Comm& comm, const NodeSites& sites);

// Collective over `all`; throws on this node or on all.
FileNodes make_file_nodes(comm::Comm& all, int volfmt, const IoNodes& io_nodes, const QIO_Layout& layout);

}  // namespace lq::compat::qio
