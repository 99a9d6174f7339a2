// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the programs share that convert files between one and many, by a single process: the grid of nodes, from the
// standard input; where the I/O nodes have their files; the conversion.
#pragma once

#include <qio.h>

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "programs/frame.hpp"

namespace lq::programs::qio {

inline constexpr const char* mesh_usage =
    "<0 (sing to part) | 1 (part to sing ILDG) | 2 (part to sing SciDAC) > <filename> [<ildgLFN>] < layoutfile\n";

struct FreeText {
  void operator()(QIO_String* text) const noexcept { QIO_string_destroy(text); }
};
using Text = std::unique_ptr<QIO_String, FreeText>;

// A grid of nodes, x first, and that of the I/O nodes, which divides it.
struct Mesh {
  std::vector<int> nodes, io_nodes;
  int count() const;
  // Which node writes for a node: the first one of those that share a file.
  int io_node_of(int node) const;
};

// The number of dimensions, then their extents; with `has_io_nodes` also those of the I/O nodes, else every node has a
// file.
Mesh read_mesh(std::istream& in, bool has_io_nodes);

// The I/O nodes of a mesh, and in which folders their files are.
class IoNodeFiles {
 public:
  explicit IoNodeFiles(const Mesh& mesh);
  IoNodeFiles(const IoNodeFiles&) = delete;
  IoNodeFiles& operator=(const IoNodeFiles&) = delete;

  int count() const noexcept { return static_cast<int>(numbers_.size()); }
  int number(int entry) const { return numbers_[static_cast<std::size_t>(entry)]; }
  // The files of an I/O node, by its place in the list, are in that folder, which is made if it is not there.
  void place(int entry, const std::string& folder);
  bool is_placed(int entry) const { return !folders_[static_cast<std::size_t>(entry)].empty(); }
  // Valid until the next placing.
  QIO_Filesystem get();

 private:
  const Mesh& mesh_;
  std::vector<int> numbers_;
  std::vector<std::string> folders_;  // empty: where the name says
  std::vector<char*> paths_;
};

// As the words of the command line say: direction, file, and LFN for a file in ILDG style.
void convert(const Mesh& mesh, IoNodeFiles& files, int argc, char** argv);

}  // namespace lq::programs::qio
