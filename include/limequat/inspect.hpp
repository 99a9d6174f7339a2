// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to files: is it whole, where is it damaged, does it keep to its specification, do two agree,
// what does each byte mean; and conversion.
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

// What the records of a file are.
enum class Contents {
  fields,   // fields on lattices, and what describes them
  records,  // records of any kind, without a lattice
  streams,  // the streams of tasks: a multifile
};

// A format that is known.
struct FormatInfo {
  std::string_view name;                            // "ildg"
  std::string_view holds;                           // "one gauge field in four dimensions"
  std::string_view begins;                          // how its files begin, for people
  std::span<const std::string_view> suffixes = {};  // of paths that ask for it
  Contents contents = Contents::fields;
};

LQ_API std::string_view name(Contents contents) noexcept;  // "fields", "records", "streams"
// Local. All formats, in the order in which a file is tried.
LQ_API std::vector<FormatInfo> formats();
// Local. By name, such as that in a Catalog; invalid_argument lists the names there are.
LQ_API FormatInfo format_info(std::string_view name);

// What the library can use of other libraries.
struct BuildPart {
  std::string name;         // "HDF5"
  bool is_present = false;  // false also where it is in a component that is not installed
  std::string note;         // its version or its use; of one that is absent, why
};

// Local. What this library was built with: the compiler, the instruction set of its loops here, and each optional
// library.
LQ_API std::vector<BuildPart> build_parts();

// What an examination of a file amounts to, best first. Only the first two are called OK.
enum class Verdict {
  sound,          // exact checksums, or second copies, cover all numbers, and all agree; claims name `uncovered` texts
  consistent,     // nothing disagrees, but some content has no exact checksum: a weak sum, a stated value, a size
  unproven,       // no checksum disagrees, but the numbers look wrong, or a checksum could not be compared
  damaged,        // a checksum or a second copy disagrees, or something that must be there is missing or unreadable
  incomplete,     // bytes are missing that the structure demands
  being_written,  // its writer has not completed it
  unreadable,     // not even its structure can be read, although name, size or header say what it should be
  foreign,        // of no known format
};
LQ_API std::string_view name(Verdict verdict) noexcept;  // "sound", "being written", ...
// Whether it is called OK.
constexpr bool is_ok(Verdict verdict) noexcept { return verdict <= Verdict::consistent; }

// What a claim about content proves where it holds.
enum class Evidence {
  exact_sum,    // proves it: SciDAC checksum, CRC-32, SHA-256, sums of slices
  second_copy,  // proves it: the same content, stored twice
  weak_sum,     // does not see all changes: word sums of NERSC and MILC, norms, Fletcher-32
  check_value,  // a plaquette, a link trace
  structure,    // sizes, counts, flags, order of records
  nature,       // what such numbers are like: finite, in SU(N), not noise, not zero
};
LQ_API std::string_view name(Evidence evidence) noexcept;  // "exact sum", ...

enum class Outcome {
  agrees,
  differs,
  unreadable,  // the file has it, but it cannot be read
  missing,     // the format demands it
  absent,      // the file does without, as it may
  unchecked,   // it could not be compared
  uncovered,   // texts beside the numbers, which no checksum of the format covers: a change of them is not seen
};
LQ_API std::string_view name(Outcome outcome) noexcept;

// A claim about some content of a file, and whether it holds. Numbers for which nothing vouches have claims that are
// `absent`, texts beside them such that are `uncovered`.
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
  std::vector<SumName> compared;             // the sums of the file that the data were held against
  std::vector<std::int64_t> damaged_slices;  // time slices of which a stored sum differs
  std::optional<Physics> physics;            // gauge fields, when measured
  std::optional<Observables> observables;    // the same, when asked for
};

struct LQ_API Verification {
  std::string path;
  std::string format;
  Verdict verdict = Verdict::sound;
  bool ok = true;             // the verdict is as good as was required
  std::vector<Claim> claims;  // what was compared with what
  std::vector<FieldVerdict> fields;
  std::vector<Finding> findings;
  std::uint64_t chunks_checked = 0;  // of a checkpoint, which agree with their checksums
  std::uint64_t fields_checked = 0;  // of a checkpoint, held against their checksums; what is wrong is in `findings`
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
  int flow_steps = 0;        // as in ObservablesOptions; more than 0 asks for the observables
  double flow_step = 0.01;
};

// Collective. Structure, sizes, checksums, physics; says where damage is. The chunks of a checkpoint are held against
// its records. Throws only what inspect() throws.
LQ_API Verification verify(const std::string& path, const Communicator& communicator = {},
                           const VerifyOptions& options = {});

// Local. Conformance to the format's specification, rule by rule; every rule that was checked and failed.
LQ_API std::vector<Finding> validate(const std::string& path, const Limits& limits = {});

struct ConvertOptions {
  WriteOptions write =
      {};  // format, precision, metadata (replaces what the source has under that name), overwrite, ...
  Limits limits = {};
  bool dry_run = false;  // check everything, write nothing
  Progress progress = {};
  bool allow_loss = false;  // what the new file has no place for is left out; else it is refused (unsupported)
  // Data that look damaged though no checksum says so (zeros, links off SU(N), a stated plaquette that is another) are
  // converted as they are; else they are refused (checksum_mismatch).
  bool accept_damage = false;
  std::string field = {};  // of the source; empty: all of them
  std::uint64_t index = 0;
  // "t=0:8,x=:4": sites FIRST to END - 1 of each axis that is named, all of the others; negative numbers count from the
  // end. They become the whole lattice of the new file. Empty: all that is stored.
  std::string region = {};
};

// Collective. Any format to any, in bounded memory (but for a part of the lattice, of which each rank holds its sites),
// checksums verified on the way (checksum_mismatch: no new file).
LQ_API Report convert(const std::string& from, const std::string& to, const Communicator& communicator = {},
                      const ConvertOptions& options = {});

// Collective. A small file `to` (HDF5) with a dataset for each field of `from`, whose numbers stay where they are:
// programs that know nothing of the format of `from` read them there, big- or little-endian as they are. The path of
// `from` is kept as an absolute one, and its data must stay in place. Of the options those of a new file count
// (overwrite, sync, format), limits and dry_run. unsupported: the numbers do not lie in one piece, x fastest.
LQ_API void export_virtual(const std::string& from, const std::string& to, const Communicator& communicator = {},
                           const ConvertOptions& options = {});

struct Difference {
  bool same = true;  // no number differs by more than the tolerance, metadata aside
  double largest_absolute = 0;
  double largest_relative = 0;  // |a - b| / max(|a|, |b|)
  Coord site;                   // of the largest absolute difference
  std::uint64_t number = 0;     // which number of that site
  double a = 0, b = 0;          // the two values there
  std::uint64_t differing_numbers = 0;
  std::uint64_t compared_numbers = 0;
  std::string field;                  // of the largest absolute difference
  std::vector<std::string> fields;    // that were compared: "gauge", "spinor:3"
  std::vector<std::string> unpaired;  // that only one of the files has; not `same` if there are any
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

// Local. Hands the bytes of a record to `sink` in pieces. `index` counts records of that type from 0. Streams of
// checkpoints (limequat/multifile.hpp) come as they were written: compared with their checksums and decompressed. Where
// a checkpoint has no record of that type, its field of that name: the numbers as the file with the fields holds them,
// compared with their checksum.
LQ_API void read_record(const std::string& path, std::string_view type, std::uint64_t index,
                        const std::function<void(const void* data, std::uint64_t bytes)>& sink,
                        const Limits& limits = {});

// One field of a header, or one stretch of payload.
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
