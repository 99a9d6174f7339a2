// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compressed eigenvectors (formats/eigen-comp.md): a vector is, on each block of the lattice, a sum over the vectors of
// a basis. Each rank reads the blocks that its sites lie in; no block is held for longer than it is needed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "comm/comm.hpp"
#include "format/eigen_comp/metadata.hpp"

namespace lq::modes {

class Compressed {
 public:
  // The catalog of a folder, without errors. Errors as format::eigen_comp::decode().
  explicit Compressed(const Catalog& catalog, const Extents& lattice);

  // Local. Vectors first, first + 1, ... on a box of the odd sites (a lattice of half the extent in x): for each the
  // numbers of its sites, x fastest, of a site s slowest. malformed: a group of numbers is beyond single precision.
  void read(std::uint64_t first, const Box& box, std::span<const std::span<float>> vectors) const;

  // Collective. What differs from its checksum, as findings that name the file.
  std::vector<Finding> verify(comm::Comm& comm) const;

 private:
  class Block;
  std::string path_;
  std::vector<std::string> files_;
  format::eigen_comp::Metadata known_;
  Extents counts_;  // of files, in each direction
};

}  // namespace lq::modes
