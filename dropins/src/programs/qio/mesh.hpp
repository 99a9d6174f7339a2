// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Common parts of the programs that convert files between one and many, in a single process: the grid of nodes, from
// standard input; the folders of the I/O nodes' files; the conversion.
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
  // The node that writes for a node: the first of those that share a file.
  int io_node_of(int node) const;
};

// Reads the number of dimensions, then their extents; with `has_io_nodes` also those of the I/O nodes, else every node
// has a file.
Mesh read_mesh(std::istream& in, bool has_io_nodes);

// The I/O nodes of a mesh, and the folders of their files.
class IoNodeFiles {
 public:
  explicit IoNodeFiles(const Mesh& mesh);
  IoNodeFiles(const IoNodeFiles&) = delete;
  IoNodeFiles& operator=(const IoNodeFiles&) = delete;

  int count() const noexcept { return static_cast<int>(numbers_.size()); }
  int number(int entry) const { return numbers_[static_cast<std::size_t>(entry)]; }
  // Puts the files of an I/O node, by its place in the list, into that folder, which is created if it does not exist.
  void place(int entry, const std::string& folder);
  bool is_placed(int entry) const { return !folders_[static_cast<std::size_t>(entry)].empty(); }
  // Valid until the next placing.
  QIO_Filesystem get();

 private:
  const Mesh& mesh_;
  std::vector<int> numbers_;
  std::vector<std::string> folders_;  // empty: as given by the name
  std::vector<char*> paths_;
};

// By the words of the command line: direction, file, and LFN for a file in ILDG style.
void convert(const Mesh& mesh, IoNodeFiles& files, int argc, char** argv);

}  // namespace lq::programs::qio
