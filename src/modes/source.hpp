// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of vectors of another program, read vector by vector like one of Limequat's: vectors interleaved in one field,
// packed sites and a fifth dimension that is fastest are converted to the form of a set of modes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>
#include <limequat/modes.hpp>

#include "comm/comm.hpp"
#include "format/eigen_comp/eigen_comp_format.hpp"
#include "format/vectors/vectors.hpp"

namespace lq::modes {

// Compressed eigenvectors (formats/eigen-comp.md): on each block of the lattice a vector is a sum over the vectors of a
// basis. Each rank reads the blocks that contain its sites; a block is held only while it is needed.
class Compressed {
 public:
  // The catalog of a folder, without errors. Errors as format::eigen_comp::decode().
  explicit Compressed(const Catalog& catalog, const Extents& lattice);

  // Local. Vectors first, first + 1, ... on a box of the odd sites (a lattice of half the extent in x): for each the
  // numbers of its sites, x fastest, within a site s slowest. malformed: a group of numbers exceeds single precision.
  void read(std::uint64_t first, const Box& box, std::span<const std::span<float>> vectors) const;

  // Collective. Compares checksums; returns differences as findings that name the file.
  std::vector<Finding> verify(comm::Comm& comm) const;

 private:
  class Block;
  std::string path_;
  std::vector<std::string> files_;
  format::eigen_comp::Metadata known_;
  Extents counts_;  // number of files in each direction
};

// Collective. The files of a folder of vectors: metadata.txt, or v0.bin, v1.bin, ...; empty: the path is not a folder.
// not_found: a folder without them.
std::vector<std::string> files_in(const std::string& path, const Communicator& communicator);
// Collective. The text of a file NAME.evals.xml next to a file; empty: absent.
std::string eigenvalue_file_of(const std::string& path, const Communicator& communicator);

class Source {
 public:
  // Local; the same on all ranks. The files outlive it and are not moved. unknown_format: not a set of vectors;
  // otherwise as in format::vectors::set_in().
  Source(std::span<const File> files, const std::string& eigenvalues, const Unsaid& unsaid);

  const Description& description() const noexcept { return set_.description; }
  const std::vector<Mode>& modes() const noexcept { return set_.modes; }
  std::string_view family() const noexcept { return format::vectors::name(set_.family); }
  bool has_eigenvalues() const noexcept { return set_.has_eigenvalues; }
  const FieldEntry& field(std::uint64_t k) const;
  // True if one pass over the file reads several vectors together.
  bool is_interleaved() const noexcept { return set_.per_field > 1; }
  // nullptr: its vectors are fields.
  const Compressed* compressed() const noexcept { return compressed_ ? &*compressed_ : nullptr; }

  // Collective. Reads vectors first, first + 1, ... into `vectors`, which have one precision. The grid is one of
  // description().sites(). Returns the report of the last read.
  Report read(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
              const ReadOptions& options) const;

 private:
  Report read_field(std::uint64_t k, const Grid& grid, const MutableField& field, const ReadOptions& options) const;
  Report read_interleaved(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
                          const ReadOptions& options) const;
  Report read_rearranged(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors,
                         const ReadOptions& options) const;
  Report read_compressed(std::uint64_t first, const Grid& grid, std::span<const MutableField> vectors) const;

  std::span<const File> files_;
  format::vectors::VectorSet set_;
  std::optional<Compressed> compressed_;
  FieldEntry shown_;  // describes each compressed vector
};

// Access that conversion needs beyond the interface of a set.
struct SetAccess {
  // nullptr: a set of modes.
  static const Source* foreign(const Set& set);
};

}  // namespace lq::modes
