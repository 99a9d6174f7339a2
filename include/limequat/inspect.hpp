// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about files: is it complete, where is it damaged, does it follow its specification, do two files agree,
// what does each byte mean. And conversion.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/field.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>
#include <limequat/physics.hpp>
#include <limequat/report.hpp>

namespace lq {

// The type of contents of a file.
enum class Contents {
  fields,   // fields on lattices, with descriptions
  records,  // records of any kind, without a lattice
  streams,  // the streams of tasks: a multifile
};

// A known format.
struct FormatInfo {
  std::string_view name;                            // "ildg"
  std::string_view holds;                           // "one gauge field in four dimensions"
  std::string_view begins;                          // how its files begin, for people
  std::span<const std::string_view> suffixes = {};  // of paths, that select it for writing
  Contents contents = Contents::fields;
};

LQ_API std::string_view name(Contents contents) noexcept;  // "fields", "records", "streams"
// Local. All formats, in the order in which a file is tried.
LQ_API std::vector<FormatInfo> formats();
// Local. By name, as in a Catalog; invalid_argument lists the known names.
LQ_API FormatInfo format_info(std::string_view name);

// An optional part that the library can use, such as another library.
struct BuildPart {
  std::string name;         // "HDF5"
  bool is_present = false;  // also false if it is in a component that is not installed
  std::string note;         // its version or its use; if it is absent, why
};

// Local. What this library was built with: the compiler, the instruction set of its loops here, and each optional
// library.
LQ_API std::vector<BuildPart> build_parts();

// The result of examining a file, best first. Only the first two are called OK.
enum class Verdict {
  sound,          // exact checksums, or second copies, cover all numbers, and all agree; claims name `uncovered` texts
  consistent,     // nothing disagrees, but some content has no exact checksum: a weak sum, a stated value, a size
  unproven,       // no checksum disagrees, but the numbers look wrong, or a checksum could not be compared
  damaged,        // a checksum or a second copy disagrees, or something required is missing or unreadable
  incomplete,     // bytes that the structure requires are missing
  being_written,  // its writer has not completed it
  unreadable,     // not even its structure can be read, although name, size or header say what it should be
  foreign,        // of no known format
};
LQ_API std::string_view name(Verdict verdict) noexcept;  // "sound", "being written", ...
// Returns true if the verdict is called OK.
constexpr bool is_ok(Verdict verdict) noexcept { return verdict <= Verdict::consistent; }

// What a claim about content proves if it holds.
enum class Evidence {
  exact_sum,    // proves it: SciDAC checksum, CRC-32, SHA-256, sums of slices
  second_copy,  // proves it: the same content, stored twice
  weak_sum,     // does not detect all changes: word sums of NERSC and MILC, norms, Fletcher-32
  check_value,  // a plaquette, a link trace
  structure,    // sizes, counts, flags, order of records
  nature,       // the properties of such numbers: finite, in SU(N), not noise, not zero
};
LQ_API std::string_view name(Evidence evidence) noexcept;  // "exact sum", ...

enum class Outcome {
  agrees,
  differs,
  unreadable,  // the file has it, but it cannot be read
  missing,     // the format requires it
  absent,      // optional, and not in the file
  unchecked,   // it could not be compared
  uncovered,   // texts that no checksum of the format covers: a change in them is not detected
};
LQ_API std::string_view name(Outcome outcome) noexcept;

// A claim about some content of a file, and whether it holds. Numbers that nothing proves have `absent` claims, texts
// that nothing proves have `uncovered` ones.
struct Claim {
  std::string of;    // a field ("gauge", "spinor:3"), a small object ("/pion"), "index", "chunks"
  std::string name;  // "scidac", "weighted of slices", "sha256", "plaquette"
  Evidence evidence = Evidence::exact_sum;
  Outcome outcome = Outcome::agrees;
  std::optional<std::uint64_t> offset = {};  // of the content
  std::optional<std::uint64_t> length = {};
};

// One field's verdict.
struct FieldVerdict {
  std::string name;
  std::uint64_t index = 0;
  ChecksumStatus status = ChecksumStatus::unchecked;
  Checksum computed;
  std::optional<Checksum> stored;
  ZeroRegion zeros;
  std::vector<SumName> compared;             // the sums of the file that the data were compared with
  std::vector<std::int64_t> damaged_slices;  // time slices with a stored sum that differs
  std::optional<Physics> physics;            // of gauge fields, if measured
  std::optional<Observables> observables;    // of gauge fields, if requested
};

struct LQ_API Verification {
  std::string path;
  std::string format;
  Verdict verdict = Verdict::sound;
  bool ok = true;             // the verdict is as good as required
  std::vector<Claim> claims;  // what was compared with what
  std::vector<FieldVerdict> fields;
  std::vector<Finding> findings;
  std::uint64_t chunks_checked = 0;  // chunks of a checkpoint that agree with their checksums
  std::uint64_t fields_checked = 0;  // fields of a checkpoint compared with their checksums; `findings` has mismatches
};

enum class Measure { when_it_fits, always, never };

// The verdict that is good enough.
enum class Require { consistent, sound };

struct VerifyOptions {
  Measure physics = Measure::when_it_fits;  // of gauge fields: needs the field in memory
  std::uint64_t memory_bytes = 4ULL << 30;  // of all ranks together, for when_it_fits
  std::uint64_t block_bytes = 0;            // as in WriteOptions
  Limits limits = {};
  Progress progress = {};
  int threads = 0;  // of this rank; 0: as many as it has cores to itself
  Require require = Require::consistent;
  bool observables = false;  // lq::observables() of gauge fields that are measured, compared with what the texts state
  int flow_steps = 0;        // as in ObservablesOptions; more than 0 implies `observables`
  double flow_step = 0.01;
};

// Collective. Checks structure, sizes, checksums and physics, and locates damage. Chunks of a checkpoint are compared
// with its records. Throws only what inspect() throws.
LQ_API Verification verify(const std::string& path, const Communicator& communicator = {},
                           const VerifyOptions& options = {});

// Local. Checks conformance to the format's specification; returns every rule that the file breaks.
LQ_API std::vector<Finding> validate(const std::string& path, const Limits& limits = {});

struct ConvertOptions {
  WriteOptions write =
      {};  // format, precision, metadata (replaces what the source has under that name), overwrite, ...
  Limits limits = {};
  bool dry_run = false;  // check everything, write nothing
  Progress progress = {};
  bool allow_loss = false;  // omit what the new file cannot store; otherwise that is refused (unsupported)
  // Convert data that look damaged although no checksum says so (zeros, links off SU(N), a stated plaquette that
  // differs); otherwise they are refused (checksum_mismatch).
  bool accept_damage = false;
  std::string field = {};  // of the source; empty: all of them
  std::uint64_t index = 0;
  // "t=0:8,x=:4,y=5": sites FIRST to END - 1, or one site, of each named axis, all of the others; negative numbers
  // count from the end. They become the whole lattice of the new file. Empty: all stored sites.
  std::string region = {};
};

// Collective. Converts any format to any other, in bounded memory (except for a part of the lattice, of which each rank
// holds its sites), and verifies checksums in transit (checksum_mismatch: no new file).
LQ_API Report convert(const std::string& from, const std::string& to, const Communicator& communicator = {},
                      const ConvertOptions& options = {});

// Collective. Writes a small HDF5 file `to` with a dataset for each field of `from`, whose numbers stay in `from`:
// programs that do not support its format can read them there, in their byte order. The path of `from` is stored as an
// absolute path, and its data must stay in place. The options used are those of a new file (overwrite, sync, format),
// limits and dry_run. unsupported: the numbers are not contiguous with x fastest.
LQ_API void export_virtual(const std::string& from, const std::string& to, const Communicator& communicator = {},
                           const ConvertOptions& options = {});

struct Difference {
  bool same = true;  // no number differs by more than the tolerance; metadata are not compared for this
  double largest_absolute = 0;
  double largest_relative = 0;  // |a - b| / max(|a|, |b|)
  Coord site;                   // of the largest absolute difference
  std::uint64_t number = 0;     // which number of that site
  double a = 0, b = 0;          // the two values there
  std::uint64_t differing_numbers = 0;
  std::uint64_t compared_numbers = 0;
  std::string field;                  // of the largest absolute difference
  std::vector<std::string> fields;    // that were compared: "gauge", "spinor:3"
  std::vector<std::string> unpaired;  // fields that only one of the files has; not `same` if there are any
  std::vector<std::string> metadata;  // one sentence for each difference
};

struct DiffOptions {
  double tolerance = 0;  // absolute
  std::string field = {};
  std::uint64_t index = 0;
  Limits limits = {};
  Progress progress = {};
  int threads = 0;  // of this rank; 0: as many as it has cores to itself
};

// Collective. Compares two fields number by number, whatever their formats and precisions.
LQ_API Difference diff(const std::string& a, const std::string& b, const Communicator& communicator = {},
                       const DiffOptions& options = {});

// Local. The numbers of one site, as doubles.
LQ_API std::vector<double> read_site(const std::string& path, const Coord& site, const ReadOptions& options = {});

// Local. Passes the bytes of a record to `sink` in pieces. `index` counts records of that type from 0. Streams of
// checkpoints (limequat/multifile.hpp) are compared with their checksums and decompressed. If a checkpoint has no
// record of that type, the field of that name is passed: its numbers as stored in the file with the fields, compared
// with their checksum.
LQ_API void read_record(const std::string& path, std::string_view type, std::uint64_t index,
                        const std::function<void(const void* data, std::uint64_t bytes)>& sink,
                        const Limits& limits = {});

// One field of a header, or one part of the payload.
struct Annotation {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::string name;     // as in the format page: "magic", "data_length", ...
  std::string value;    // for people
  std::string section;  // of the format page: "formats/lime.md 2"
};

// Local. Every header byte of the file, in order of offset, without gaps.
LQ_API std::vector<Annotation> explain(const std::string& path, const Limits& limits = {});

}  // namespace lq
