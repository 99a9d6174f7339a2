// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is wrong with a file, in words: which reading of its bytes is a gauge field, whether its header says so, where
// it is damaged, and in which order its sites stand. `lq diagnose` prints it.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq {

// How the real and imaginary parts of a matrix lie.
enum class ComplexParts {
  interleaved,  // re, im, re, im, ...
  exchanged,    // im, re, im, re, ...
  apart,        // all real parts of a matrix, then all imaginary ones
};
LQ_API std::string_view name(ComplexParts parts) noexcept;  // "interleaved", "exchanged", "apart"

// One way to read the bytes of a gauge field, and what speaks for it.
struct Reading {
  std::uint64_t offset = 0;  // of the first number
  Precision precision = Precision::double_;
  ByteOrder byte_order = ByteOrder::big;
  bool halves_exchanged = false;  // the two 32-bit words of each double
  ComplexParts parts = ComplexParts::interleaved;
  bool third_rows_missing = false;
  bool is_transposed = false;   // rows and columns are exchanged
  SiteOrder sites = {};         // fastest dimension first
  std::vector<int> links = {};  // the direction of each link of a site: 0 is x
  int colors = 3;
  Extents lattice = {};      // other than the one that was told if that may have been told in another order
  std::string axes = {};     // slowest first, as in descriptions of raw files: "t z y x mu row column reim"
  std::string parity = {};   // "even", "odd": sites with such a sum of coordinates stand first; empty: one sequence
  int record_marks = 0;      // bytes of each mark of the Fortran records that hold the numbers; 0: no records
  bool is_declared = false;  // as the header says, or where there is none as ILDG files are
  bool is_proven = false;    // it fits alone, or a checksum agrees; else somebody has to know
  bool is_single_in_double = false;  // double precision holds numbers of single precision

  double unitarity = 0;                  // median over the sampled links of the largest |element| of U U^dagger - 1
  double determinant = 0;                // median of |det U - 1|
  std::optional<double> plaquette = {};  // over the sampled plaquettes; only of links that are unitary
  double plaquette_error = 0;            // of a sample; 0: all plaquettes were measured
  double factor = 0;                     // stated plaquette = factor times this one; 0: no factor is known that fits
};

// The process grid of a program that wrote its sites process by process, found from the checksum.
struct WriterGrid {
  std::uint64_t tried = 0;  // orders of the sites whose checksums were computed
  std::uint64_t grids = 0;  // of process grids among these
  bool is_complete = true;  // false: the time was over before all were tried
  bool is_found = false;
  Coord processes = {};             // ranks in x, y, z, t
  bool ranks_last_fastest = false;  // ranks are numbered with t fastest, else with x fastest
  SiteOrder sites = {};             // found instead of a grid: one sequence over the whole lattice, in this order
  double seconds = 0;               // of the search
};

struct LQ_API Diagnosis {
  std::string path;
  std::string format;  // "raw": no format is recognised, and the lattice was told
  std::string field;
  Extents extents;
  bool ok = true;                    // nothing is wrong
  std::string verdict;               // sentences
  std::string remedy;                // what to do about it; empty where nothing is wrong
  std::optional<double> plaquette;   // as the file states it
  std::vector<Reading> readings;     // best first; empty for fields that are no gauge fields
  std::uint64_t sampled_sites = 0;   // for the readings
  bool is_whole_read = false;        // damage was looked for in all sites
  std::optional<Checksum> stored;    // as the file states it, or as was told
  std::optional<Checksum> computed;  // with the sites in the order of the header
  std::optional<WriterGrid> grid;    // looked for where these two differ
  std::string basis;  // of the spins of a propagator from a point source: "chiral", "dirac"; empty: not known
  std::optional<Report> rewritten;  // of the new file, where one was asked for
  std::vector<Finding> findings;    // one for each thing that is wrong or worth knowing
};

struct DiagnoseOptions {
  std::string field = {};                  // which; empty: the first
  std::uint64_t index = 0;                 // of those with that name
  std::string lattice = {};                // "8x8x8x16": in place of what the header says, or where there is no header
  std::string sums = {};                   // "a2c41090/11193c39": the SciDAC checksum, where the file has none
  std::uint64_t whole_bytes = 4ULL << 30;  // fields of more are sampled, and not read from front to back
  double seconds = 60;                     // after which no more orders of the sites are tried against the checksum
  std::string rewrite = {};                // a new file, with the numbers as they should stand
  bool overwrite = false;                  // replace an existing one
  int reading = 0;  // of those that were listed, from 1: this one is taken; 0: the one that is proven
  Limits limits = {};
  int threads = 0;  // of this process; 0: as many as it has cores to itself
  Progress progress = {};
};

// Local. Tries where the numbers begin, byte order, precision, colours, the order of their axes, Fortran's record
// marks, orders of sites and links, and normalisations of the plaquette. Damage and wrong headers are answers, not
// errors; a file in which verify() finds something is not `ok`. unknown_format: no format is recognised and
// options.lattice is empty; invalid_argument: lattice, sums or reading cannot be; no_such_record; errors of reading.
// With options.rewrite also errors of writing, and wrong_state: nothing is wrong that a new file would mend, the data
// are damaged, or no reading is proven and none was chosen.
LQ_API Diagnosis diagnose(const std::string& path, const DiagnoseOptions& options = {});

}  // namespace lq
