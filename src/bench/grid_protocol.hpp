// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the I/O test of the Grid library measures (tests/IO/Test_aggregate_io.cc; pmodels/mpich#7935), so that a run can
// be laid beside theirs: one lattice by several paths, created and written over apart, read after each client dropped
// what it had in memory, or in another job; for each stage the slowest rank and the skew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rounds.hpp"

namespace lq::bench {

struct ProtocolPath {
  std::string file;  // the end of its file's name, the same in every job
  std::unique_ptr<Mover> mover;
  // Lexicographic: the numbers of sites are in the order of the lattice, and begin at `payload`; files of other paths
  // are only compared by what is read from them.
  bool is_lexicographic = true;
};

struct GridProtocol {
  std::string directory = ".";
  int runs = 3;            // rounds beyond the first one, which stands apart
  bool read_only = false;  // files of another job
  bool keep_files = false;
  bool replace = false;  // files of these names that are there
};

// Where the files of the protocol are: DIRECTORY/limequat-grid.FILE.
std::string protocol_file(const std::string& directory, const std::string& file);

// Collective. For each path the results "create", "overwrite" and "read", with skew; of `read_only` only the last. The
// last of `paths` is the upper bound that `raw` is of all. Numbers that were read are compared with what was written,
// and files of lexicographic paths with those of the first one, byte by byte.
// Throws internal: they differ; exists: a file of this name is there, and is not to be replaced; not_found, malformed:
// with `read_only` there is no such file, or one of another lattice.
// `tell` is given the sentence of a path that others wrote and that fails, on all ranks; it is left out.
std::vector<Result> run_grid_protocol(BenchField& field, const std::vector<ProtocolPath>& paths,
                                      const GridProtocol& protocol,
                                      const std::function<void(const std::string& sentence)>& tell);

}  // namespace lq::bench
