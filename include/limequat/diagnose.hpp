// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reports in words what is wrong with a file: which reading of its bytes is a gauge field, whether its header agrees,
// where it is damaged, and the order of its sites. `lq diagnose` prints it.
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

// The order of the real and imaginary parts of a matrix.
enum class ComplexParts {
  interleaved,  // re, im, re, im, ...
  exchanged,    // im, re, im, re, ...
  apart,        // all real parts of a matrix, then all imaginary ones
};
LQ_API std::string_view name(ComplexParts parts) noexcept;  // "interleaved", "exchanged", "apart"

// One way to read the bytes of a gauge field, with the evidence for it.
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
  Extents lattice = {};      // differs from the given one if that may have been given in another order
  std::string axes = {};     // slowest first, as in descriptions of raw files: "t z y x mu row column reim"
  std::string parity = {};   // "even", "odd": sites with such a sum of coordinates come first; empty: one sequence
  int record_marks = 0;      // bytes of each mark of the Fortran records that hold the numbers; 0: no records
  bool is_declared = false;  // agrees with the header, or with the layout of ILDG files if there is no header
  bool is_proven = false;    // the only reading that fits, or a checksum agrees; otherwise the user must choose
  bool is_single_in_double = false;  // double precision holds numbers of single precision

  double unitarity = 0;                  // median over the sampled links of the largest |element| of U U^dagger - 1
  double determinant = 0;                // median of |det U - 1|
  std::optional<double> plaquette = {};  // over the sampled plaquettes; only of links that are unitary
  double plaquette_error = 0;            // of a sample; 0: all plaquettes were measured
  double factor = 0;                     // stated plaquette = factor times this one; 0: no known factor fits
};

// The process grid of a program that wrote its sites process by process, found from the checksum.
struct WriterGrid {
  std::uint64_t tried = 0;  // orders of the sites whose checksums were computed
  std::uint64_t grids = 0;  // how many of these are process grids
  bool is_complete = true;  // false: the time limit was reached before all were tried
  bool is_found = false;
  Coord processes = {};             // ranks in x, y, z, t
  bool ranks_last_fastest = false;  // ranks are numbered with t fastest, otherwise with x fastest
  SiteOrder sites = {};             // found instead of a grid: one sequence over the whole lattice, in this order
  double seconds = 0;               // of the search
};

struct LQ_API Diagnosis {
  std::string path;
  std::string format;  // "raw": no format is recognised, and the lattice was given
  std::string field;
  Extents extents;
  bool ok = true;                    // nothing is wrong
  std::string verdict;               // sentences
  std::string remedy;                // what to do about it; empty if nothing is wrong
  std::optional<double> plaquette;   // as the file states it
  std::vector<Reading> readings;     // best first; empty for fields that are not gauge fields
  std::uint64_t sampled_sites = 0;   // for the readings
  bool is_whole_read = false;        // all sites were searched for damage
  std::optional<Checksum> stored;    // as the file states it, or as given
  std::optional<Checksum> computed;  // with the sites in the order of the header
  std::optional<WriterGrid> grid;    // searched for if these two differ
  std::string basis;  // of the spins of a propagator from a point source: "chiral", "dirac"; empty: not known
  std::optional<Report> rewritten;  // of the new file, if one was requested
  std::vector<Finding> findings;    // one for each thing that is wrong or worth knowing
};

struct DiagnoseOptions {
  std::string field = {};                  // which; empty: the first
  std::uint64_t index = 0;                 // of those with that name
  std::string lattice = {};                // "8x8x8x16": instead of the header's, or if there is no header
  std::string sums = {};                   // "a2c41090/11193c39": the SciDAC checksum, if the file has none
  std::uint64_t whole_bytes = 4ULL << 30;  // larger fields are sampled, not read completely
  double seconds = 60;                     // time limit for trying orders of the sites against the checksum
  std::string rewrite = {};                // path of a new file, with the numbers in the right order
  bool overwrite = false;                  // replace an existing one
  int reading = 0;                         // number of the listed reading to use, from 1; 0: the proven one
  Limits limits = {};
  int threads = 0;  // of this process; 0: as many as it has cores to itself
  Progress progress = {};
};

// Local. Tries offsets of the first number, byte order, precision, colours, the order of axes, Fortran's record
// marks, orders of sites and links, and normalisations of the plaquette. Damage and wrong headers are answers, not
// errors; a file in which verify() finds an error is not `ok`. unknown_format: no format is recognised and
// options.lattice is empty; invalid_argument: lattice, sums or reading are impossible; no_such_record; errors of
// reading. With options.rewrite also errors of writing, and wrong_state: a new file would not correct anything, the
// data are damaged, or no reading is proven and none was chosen.
LQ_API Diagnosis diagnose(const std::string& path, const DiagnoseOptions& options = {});

}  // namespace lq
