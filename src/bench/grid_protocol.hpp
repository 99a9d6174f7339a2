// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the I/O test of the Grid library measures (tests/IO/Test_aggregate_io.cc; pmodels/mpich#7935), so that runs can
// be compared with Grid's: one lattice by several paths; creating and overwriting are separate; read after each client
// dropped its cache, or in another job; for each stage the slowest rank and the skew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rounds.hpp"

namespace lq::bench {

struct ProtocolPath {
  std::string file;  // suffix of its file's name, the same in every job
  std::unique_ptr<Mover> mover;
  // Lexicographic: the numbers of sites are in lattice order, and begin at `payload`; files of other paths
  // are compared only through the data read from them.
  bool is_lexicographic = true;
};

struct GridProtocol {
  std::string directory = ".";
  int runs = 3;            // rounds after the first, which is shown separately
  bool read_only = false;  // files of another job
  bool keep_files = false;
  bool replace = false;  // existing files of these names
};

// The path of a file of the protocol: DIRECTORY/limequat-grid.FILE.
std::string protocol_file(const std::string& directory, const std::string& file);

// Collective. For each path the results "create", "overwrite" and "read", with skew; with `read_only` only "read". The
// last of `paths` is the upper bound, as `raw` is elsewhere. Data read are compared with the data written,
// and files of lexicographic paths with those of the first path, byte by byte.
// Throws internal: they differ; exists: a file of this name exists and must not be replaced; not_found, malformed:
// with `read_only` the file is missing, or belongs to another lattice.
// `tell` receives the error message of a competing path that fails, on all ranks; the path is omitted.
std::vector<Result> run_grid_protocol(BenchField& field, const std::vector<ProtocolPath>& paths,
                                      const GridProtocol& protocol,
                                      const std::function<void(const std::string& sentence)>& tell);

}  // namespace lq::bench
