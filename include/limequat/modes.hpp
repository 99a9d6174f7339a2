// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes: many vectors on one lattice in one file with an index, each with its eigenvalue and residual
// (docs/guide/modes.md, docs/formats/modes.md). A mode is reached directly, whatever their number; it is read on any
// process grid; modes are added while a solver runs, and what was added is there whenever the program is killed.
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
  fixed16 = 16,  // integers of 16 bits, and for each site the largest magnitude: wrong by at most 1/65000 of that
  single = 32,
  double_ = 64,
};
LQ_API std::string_view name(Storage storage) noexcept;  // "fixed16", "single", "double"
// Local. invalid_argument lists the names there are.
LQ_API Storage parse_storage(std::string_view text);

// The sites that the vectors live on. Vectors on the sites of one parity are fields on a lattice of half the extent in
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

// Local coherence: low modes look alike within a small block of sites. The first `basis` modes are stored whole; of
// each later one there are, for every block, the complex coefficients with which the whole ones make it up there. A
// mode that is not made up to within the tolerance is stored whole, too, so that it holds of every mode.
struct LQ_API Coherence {
  std::uint64_t basis = 0;  // 0: every mode is stored whole
  Extents block = {};       // of sites(), which it divides; all s of a site are in its block
  double tolerance = 0.01;  // norm of what a mode may be wrong by, relative to its own
  friend bool operator==(const Coherence&, const Coherence&) = default;
};

// What all vectors of a set have in common.
struct LQ_API Description {
  Extents lattice;                                    // of the gauge field
  FieldSpec site = {FieldKind::spinor, 3, 4, 0, 24};  // what a site holds; with ls > 1 so often, s slowest
  Storage storage = Storage::double_;
  std::int64_t ls = 1;  // extent of the fifth dimension
  Parity parity = Parity::both;
  std::string operator_name = {};  // "hermitian Wilson"
  std::vector<Parameter> parameters = {};
  std::uint64_t room = 512;  // modes for which the first piece of the index has room; it grows when there are more
  Coherence coherence = {};

  // Local. The field that a vector is: the extents of its grid, and its sites with Ls.
  Extents sites() const;
  FieldSpec field() const;
  // Local. With coherence the field that the coefficients of a mode are: a site is a block, x fastest, and holds the
  // coefficient of each mode of the basis.
  Extents blocks() const;
  FieldSpec coefficients() const;
  friend bool operator==(const Description&, const Description&) = default;
};

// What is known of one vector.
struct Mode {
  std::complex<double> eigenvalue;
  std::optional<double> residual = {};  // norm of (operator - eigenvalue) vector
  // Of a mode that is stored as coefficients, which writers find out: at most so far the vector that is read is from
  // the one that was written, relative to its norm, as read in double precision.
  std::optional<double> error = {};
  friend bool operator==(const Mode&, const Mode&) = default;
};

// What files of other programs do not say of the vectors in them (docs/formats/vectors.md); not used where they do.
struct Unsaid {
  std::int64_t ls = 1;                  // QUDA: extent of the fifth dimension
  std::optional<Parity> parity = {};    // Grid: of vectors on half of the sites
  std::optional<Extents> lattice = {};  // compressed eigenvectors (eigen-comp) in several files
};

// A set that is open for reading: its index was read, vectors are read one by one. It may be one that QUDA, MILC, Grid
// or QDP++ wrote, a folder of files v0.bin, v1.bin, ... as Hadrons makes them, or one of compressed eigenvectors with
// its metadata.txt (eigen-comp).
class LQ_API Set {
 public:
  // Collective. Errors as lq::open(); unknown_format also where the file is another one than a set of vectors,
  // invalid_argument where it does not say enough.
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
  const File& file() const { return file(0); }  // where mode k is field k; the first one of a folder
  std::uint64_t file_count() const;             // 1, or those of a folder
  const File& file(std::uint64_t number) const;
  // Who wrote it: "modes" (this library), "quda", "milc", "grid", "mod" (QDP++), "eigen-comp".
  std::string_view family() const;
  // The field that holds mode k, or its coefficients; in files of QUDA one field holds all. Of compressed eigenvectors
  // (eigen-comp) there is none: what they are on a lattice, at the place of their first coefficients.
  const FieldEntry& field(std::uint64_t k) const;

  // Collective. Vector number k, from 0, as lq::read(); options.field and options.index are not used. The grid is one
  // of description().sites(). no_such_record: there are fewer. While modes are added, those known here can be read.
  // Where the mode is stored as coefficients, this rank's part of the basis is read with the first one, and kept for
  // the next ones on the same grid: one number in memory for each of a site, for each mode of the basis.
  Report read(std::uint64_t k, const Grid& grid, const MutableField& vector, const ReadOptions& options = {}) const;
  // Collective. The same in the background; the set need not outlive it. unsupported: the set is of another program;
  // read() reads its vectors, convert() makes a set that can.
  Pending read_async(std::uint64_t k, const Grid& grid, const MutableField& vector,
                     const ReadOptions& options = {}) const;
  // Collective. Vectors first, first + 1, ... up to last - 1, read ahead while the program works on them. unsupported:
  // as read_async().
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
  // Collective. A new set, which is there, without modes, when this returns. With options.overwrite a file of that name
  // stays until the first mode is in the new set, or that is closed without one; nobody adds to it meanwhile. Of the
  // options overwrite, sync, verify, block_bytes and route are used. The grid is one of description.sites(). exists,
  // invalid_argument; io: somebody else adds to the file that is to be replaced.
  Writer(const std::string& path, const Grid& grid, const Description& description, const WriteOptions& options = {});
  // Collective. A set that is there. What an interrupted program left incomplete is removed.
  Writer(const std::string& path, const Grid& grid, const WriteOptions& options = {});
  ~Writer();
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;

  // Collective. When it returns the vector is in the set for good; if it fails, the set is as before. io: somebody has
  // replaced the set meanwhile; the new one is left alone. wrong_state: the writer was closed.
  Report append(const Field& vector, const Mode& mode);
  // Collective. Another program may add to the set from then on. A writer that is not closed but destroyed does the
  // same, but leaves a file that it was to replace, and has no mode for yet.
  void close();
  // Local.
  std::uint64_t size() const;  // modes in the set
  const Description& description() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Collective. All vectors of a set at once; modes[k] tells of vectors[k]. Returns the bytes of all vectors. `report`,
// if there is one, gets what all of them warn of: numbers that are NaN or infinite.
LQ_API std::uint64_t write(const std::string& path, const Grid& grid, const Description& description,
                           std::span<const Field> vectors, std::span<const Mode> modes,
                           const WriteOptions& options = {}, Report* report = nullptr);
// Collective. One vector of a set.
LQ_API Mode read(const std::string& path, std::uint64_t k, const Grid& grid, const MutableField& vector,
                 const ReadOptions& options = {});

struct ConvertOptions {
  std::optional<Storage> storage = {};      // default: as it is
  std::optional<Coherence> coherence = {};  // default: every mode is stored whole
  std::uint64_t first = 0;                  // modes first to last - 1; last beyond their number: all
  std::uint64_t last = ~std::uint64_t{0};
  bool overwrite = false;
  Unsaid unsaid = {};  // of the set that is read
  // Of the new set: "modes", or "quda", "milc", "grid", "grid-folder" (a file for each vector), "mod" for those
  // programs, which have no fixed point; what they have no place for is left out.
  std::string format = {};
  RouteOptions route = {};  // how the new set is written
};
// Collective. A set from a set, checksums compared on the way. Each rank holds its part of a few vectors; for `quda`,
// whose files have all of a site in one place, of all vectors on one time slice. Returns how many modes there are.
// `report`, if there is one, gets warnings, as of write(). What a repair has said of a set stays with it; formats of
// other programs have no place for that, which is a warning.
LQ_API std::uint64_t convert(const std::string& from, const std::string& to, const Communicator& communicator = {},
                             const ConvertOptions& options = {}, Report* report = nullptr);

// Collective. All checksums of a set, of whatever program, and the headers of its files: as lq::verify() and
// lq::validate() of each.
LQ_API Verification verify(const std::string& path, const Communicator& communicator = {}, const Unsaid& unsaid = {},
                           const VerifyOptions& options = {});
// Collective. The same of a set that is open.
LQ_API Verification verify(const Set& set, const Communicator& communicator = {}, const VerifyOptions& options = {});

}  // namespace lq::modes
