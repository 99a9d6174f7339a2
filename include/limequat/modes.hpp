// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes: many vectors on one lattice in one file with an index, each with its eigenvalue and residual
// (docs/guide/modes.md, docs/formats/modes.md). Any mode is found directly and can be read on any process grid. Modes
// are added while a solver runs; those that were added survive a kill at any moment.
#pragma once

#include <limequat/language.hpp>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <limequat/async.hpp>
#include <limequat/field.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/lattice.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

namespace lq::modes {

// How the numbers of the vectors are stored.
enum class Storage : int {
  fixed16 = 16,  // 16-bit integers, and for each site the largest magnitude: errors are at most 1/65000 of that
  single = 32,
  double_ = 64,
};
LQ_API std::string_view name(Storage storage) noexcept;  // "fixed16", "single", "double"
// Local. invalid_argument lists the known names.
LQ_API Storage parse_storage(std::string_view text);

// The sites of the vectors. Vectors on the sites of one parity are fields on a lattice of half the extent in
// x: their site (h, y, z, t) is site x = 2 h + ((y + z + t + parity) mod 2), parity being 0 for even, 1 for odd.
enum class Parity : int { both = 0, even = 1, odd = 2 };
LQ_API std::string_view name(Parity parity) noexcept;  // "both", "even", "odd"

// A number or a text about the operator or the solver.
using Value = std::variant<std::int64_t, double, std::complex<double>, std::string>;
struct Parameter {
  std::string name;
  Value value;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

// Local coherence: low modes look alike within a small block of sites. The first `basis` modes are stored whole; each
// later one is stored as complex coefficients, with which it is, in every block, a combination of the whole modes. A
// mode whose error would exceed the tolerance is stored whole, so the tolerance holds for every mode.
struct LQ_API Coherence {
  std::uint64_t basis = 0;  // 0: every mode is stored whole
  Extents block = {};       // of sites(), which it divides; all s of a site are in its block
  double tolerance = 0.01;  // maximum norm of the error of a mode, relative to the norm of the mode
  friend bool operator==(const Coherence&, const Coherence&) = default;
};

// What all vectors of a set have in common.
struct LQ_API Description {
  Extents lattice;                                    // of the gauge field
  FieldSpec site = {FieldKind::spinor, 3, 4, 0, 24};  // what a site holds; repeated ls times, s slowest
  Storage storage = Storage::double_;
  std::int64_t ls = 1;  // extent of the fifth dimension
  Parity parity = Parity::both;
  std::string operator_name = {};  // "hermitian Wilson"
  std::vector<Parameter> parameters = {};
  std::uint64_t room = 512;  // capacity of the first block of the index in modes; the index grows if needed
  Coherence coherence = {};

  // Local. A vector as a field: the extents of its grid, and its sites with Ls.
  Extents sites() const;
  FieldSpec field() const;
  // Local. With coherence, the coefficients of a mode as a field: a site is a block, x fastest, and holds the
  // coefficient of each mode of the basis.
  Extents blocks() const;
  FieldSpec coefficients() const;
  friend bool operator==(const Description&, const Description&) = default;
};

// The facts about one vector.
struct Mode {
  std::complex<double> eigenvalue;
  std::optional<double> residual = {};  // norm of (operator - eigenvalue) vector
  // For a mode stored as coefficients, computed by the writer: an upper bound on the norm of the difference between the
  // vector as read in double precision and the written one, relative to the norm of the latter.
  std::optional<double> error = {};
  friend bool operator==(const Mode&, const Mode&) = default;
};

// Facts that files of other programs do not state (docs/formats/vectors.md); not used if they do.
struct Unsaid {
  std::int64_t ls = 1;                  // QUDA: extent of the fifth dimension
  std::optional<Parity> parity = {};    // Grid: parity of vectors on half of the sites
  std::optional<Extents> lattice = {};  // compressed eigenvectors (eigen-comp) in several files
};

// A set that is open for reading: its index has been read; vectors are read one at a time. It may also be a file of
// QUDA, MILC, Grid or QDP++, a folder of files v0.bin, v1.bin, ... of Hadrons, or a folder of compressed eigenvectors
// with its metadata.txt (eigen-comp).
class LQ_API Set {
 public:
  // Collective. Errors as lq::open(); unknown_format also if the file is not a set of vectors, invalid_argument if it
  // states too little.
  explicit Set(const std::string& path, const Communicator& communicator = {}, const Limits& limits = {},
               const Unsaid& unsaid = {});
  ~Set();
  Set(Set&&) noexcept;
  Set& operator=(Set&&) noexcept;

  // Local.
  const Description& description() const;
  const std::vector<Mode>& modes() const;  // in the order in which they were written
  std::uint64_t size() const { return modes().size(); }
  const Mode& mode(std::uint64_t k) const;      // no_such_record: there are fewer
  const File& file() const { return file(0); }  // in which mode k is field k; the first file of a folder
  std::uint64_t file_count() const;             // 1, or the number of files of a folder
  const File& file(std::uint64_t number) const;
  // The program that wrote it: "modes" (this library), "quda", "milc", "grid", "mod" (QDP++), "eigen-comp".
  std::string_view family() const;
  // The field that holds mode k, or its coefficients; in files of QUDA one field holds all modes. Compressed
  // eigenvectors (eigen-comp) are not fields of the file: the entry describes them on a lattice, at the place of their
  // first coefficients.
  const FieldEntry& field(std::uint64_t k) const;

  // Collective. Vector number k, from 0, as lq::read(); options.field and options.index are not used. The grid is one
  // of description().sites(). no_such_record: there are fewer. While modes are added, those known here can be read.
  // If modes are stored as coefficients, the first read also reads this rank's part of the basis, which stays in memory
  // for the next ones on the same grid: the numbers of each site, for each mode of the basis.
  Report read(std::uint64_t k, const Grid& grid, const MutableField& vector, const ReadOptions& options = {}) const;
  // Collective. The same in the background; the set need not outlive it. unsupported: the set was written by another
  // program; use read(), or convert() it first.
  Pending read_async(std::uint64_t k, const Grid& grid, const MutableField& vector,
                     const ReadOptions& options = {}) const;
  // Collective. Vectors first, first + 1, ... up to last - 1, read in advance while the program works on them.
  // unsupported: as read_async().
  ReadAhead read_ahead(std::uint64_t first, std::uint64_t last, const Grid& grid, std::vector<MutableField> buffers,
                       const ReadOptions& options = {}) const;

 private:
  friend struct SetAccess;
  struct State;
  std::unique_ptr<State> state_;
};

// Adds vectors to a set.
class LQ_API Writer {
 public:
  // Collective. Creates a new set, which exists, without modes, when this returns. With options.overwrite an existing
  // file stays until the first mode is in the new set, or until a set without modes is closed; no program can append to
  // it until then. The options used are overwrite, sync, verify, block_bytes and route. The grid is one of
  // description.sites(). exists, invalid_argument; io: another program is appending to the file to be replaced.
  Writer(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options = {});
  // Collective. Opens an existing set for appending. An incomplete mode of an interrupted program is removed.
  Writer(const std::string& path, const Grid& grid, const WriteOptions& options = {});
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  // Collective. When it returns, the vector is in the set permanently; if it fails, the set is unchanged. io: another
  // program has replaced the set; the new one is not changed. wrong_state: the writer was closed.
  Report append(const Field& vector, const Mode& mode);
  // Collective. Other programs may append to the set from then on. The destructor does the same, except that a writer
  // without a mode leaves the file that it was to replace.
  void close();
  // Local.
  std::uint64_t size() const;  // modes in the set
  const Description& description() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Collective. Writes a whole set; modes[k] describes vectors[k]. Returns the bytes of all vectors. `report`, if not
// null, receives the warnings of all vectors: numbers that are NaN or infinite.
LQ_API std::uint64_t write(const std::string& path, const Grid& grid, const Description& description,
                           std::span<const Field> vectors, std::span<const Mode> modes,
                           const WriteOptions& options = {}, Report* report = nullptr);
// Collective. Reads one vector of a set.
LQ_API Mode read(const std::string& path, std::uint64_t k, const Grid& grid, const MutableField& vector,
                 const ReadOptions& options = {});

struct ConvertOptions {
  std::optional<Storage> storage = {};      // default: unchanged
  std::optional<Coherence> coherence = {};  // default: every mode is stored whole
  std::uint64_t first = 0;                  // modes first to last - 1; a `last` above their number means all
  std::uint64_t last = ~std::uint64_t{0};
  bool overwrite = false;
  Unsaid unsaid = {};  // of the set that is read
  // Format of the new set: "modes", or "quda", "milc", "grid", "grid-folder" (a file for each vector), "mod" for those
  // programs, which have no fixed point; facts that they cannot store are omitted.
  std::string format = {};
  RouteOptions route = {};  // how the new set is written
};
// Collective. Converts a set, comparing checksums in transit. Each rank holds its part of a few vectors; for `quda`,
// whose files store all numbers of a site together, of all vectors on one time slice. Returns the number of modes.
// `report`, if not null, receives warnings as in write(). The mark of a repaired set is kept; formats of other programs
// cannot store it, which is a warning.
LQ_API std::uint64_t convert(const std::string& from, const std::string& to, const Communicator& communicator = {},
                             const ConvertOptions& options = {}, Report* report = nullptr);

// Collective. Checks all checksums of a set, of any program, and the headers of its files, as lq::verify() and
// lq::validate() of each file.
LQ_API Verification verify(const std::string& path, const Communicator& communicator = {}, const Unsaid& unsaid = {},
                           const VerifyOptions& options = {});
// Collective. The same for an open set.
LQ_API Verification verify(const Set& set, const Communicator& communicator = {}, const VerifyOptions& options = {});

}  // namespace lq::modes
