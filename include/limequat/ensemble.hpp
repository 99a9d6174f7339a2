// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An ensemble at a glance: a catalogue of the lattice files below some folders, in one SQLite file
// (docs/formats/catalogue.md), which can be searched, verified again regularly, and shown as a page. All functions are
// local: one process calls them, and uses several threads. Part of the component ensemble: link Limequat::ensemble.
// They throw unsupported if it was built without SQLite.
#pragma once

#include <limequat/language.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq::ensemble {

struct CatalogueOptions {
  // The file of the catalogue; empty: "lq-catalogue.db" in this folder or the nearest one above that has it. If none
  // exists, index() creates it in this folder.
  std::string db = {};
  int threads = 0;                          // that read files; 0: one for each core
  bool forget = false;                      // index(): remove files that no longer exist from the catalogue
  std::string since = {};                   // scrub(): files verified within this time are not due: "30d", "12h"
  Measure physics = Measure::when_it_fits;  // scrub()
  std::string sort = {};                    // find(): column to sort by, "-trajectory" descending; empty: by path
  std::uint64_t most = 0;                   // find(): maximum number of files; 0: all
  std::string title = {};                   // report_page()
  bool overwrite = false;                   // report_page(): replace an existing file
  // index(): measure observables of gauge fields for which none with this flow are stored, which reads all their data.
  bool observables = false;
  int flow_steps = 0;  // as in ObservablesOptions; more than 0 implies `observables`
  double flow_step = 0.01;
  Limits limits = {};
  Progress progress = {};  // files done, and all of them; called by the caller's thread
  // index(), report_page(): files and folders to leave out, as patterns with * and ? of their names, or of their paths
  // below the folder if the pattern has a slash; separated by commas: "*.tmp,old,scratch/*".
  std::string exclude = {};
  std::string which = {};  // scrub(): a file or folder, or an expression as find() takes them; empty: all
  std::string rate = {};   // scrub(): maximum bytes read per second: "100M" (K, M, G, T: thousands); empty: no limit
};

// Files with the same data.
struct Duplicates {
  std::string checksum;
  std::vector<std::string> paths;
};

// Files whose names differ only in a number are a series: "/data/conf.*.lime".
struct Gaps {
  std::string series;
  std::int64_t first = 0, last = 0;   // trajectories
  std::int64_t step = 0;              // the usual distance between two of them
  std::uint64_t count = 0;            // trajectories that are missing
  std::vector<std::int64_t> missing;  // the first thousand of them
};

struct Outlier {
  std::string path, series;
  double plaquette = 0;
  double median = 0;     // of its series
  double deviation = 0;  // from it, in standard deviations estimated from the median of deviations
};

// Anything else that stands out, or the same facts in words.
struct Remark {
  // "duplicate-trajectory", "name-differs", "time-differs", "format-differs", "lattice-differs", "precision-differs",
  // "kind-differs", "group-differs", "fields-differ", "parameter-differs", "plaquette-outlier", "charge-outlier",
  // "same-in-other-format", "warning" (of few of a series).
  std::string rule;
  std::string series;
  std::vector<std::string> paths;  // the files it is about
  std::string sentence;
};

// What stands out among the files of a catalogue.
struct Assessment {
  std::vector<Duplicates> duplicates;
  std::vector<Gaps> gaps;
  std::vector<Outlier> outliers;
  std::vector<Remark> remarks;
};

// A file that is not an entry of the catalogue.
struct Stranger {
  std::string path;
  std::string what;  // "a text that begins with \"beta = 6.0\"", "being written", "a link to the folder ..."
};

// An entry with a problem.
struct Problem {
  std::string path;
  std::string state;    // "damaged", "incomplete", "unreadable", "unproven", "missing"
  std::string problem;  // why, if it is known
};

struct IndexReport {
  std::string db;
  std::uint64_t files = 0;          // existing lattice files of the catalogue below these folders
  std::uint64_t added = 0;          // read for the first time
  std::uint64_t changed = 0;        // read again, because size or time stamp have changed
  std::uint64_t unchanged = 0;      // not read again
  std::uint64_t missing = 0;        // known, but no longer existing
  std::uint64_t left_out = 0;       // entries of the catalogue that `exclude` leaves out, and which are not looked at
  std::uint64_t forgotten = 0;      // missing ones that were removed, with `forget`
  std::uint64_t others = 0;         // files of no known format, and parts of entries
  std::uint64_t damaged = 0;        // of `files`: headers are broken, or a verification failed
  std::uint64_t incomplete = 0;     // of `files`: their writers were interrupted
  std::uint64_t unreadable = 0;     // of `files`: should be lattice files, but cannot be read as such
  std::uint64_t being_written = 0;  // temporary files of writers, which are not members
  std::uint64_t leftovers = 0;      // the same, older than a day
  std::uint64_t measured = 0;       // files whose observables were measured, with `observables`
  std::uint64_t bytes = 0;          // of `files`
  double seconds = 0;
  std::vector<Stranger> strangers;  // files of other programs, and temporary ones
  // Entries that are damaged, incomplete, unreadable, unproven or missing, and folders that cannot be read.
  std::vector<Problem> problems;
  // Files that change while they are read, entries that were emptied or replaced by something else.
  std::vector<std::string> warnings;
  Assessment assessment;  // of all files of the catalogue
};

// Local. Searches the folders and all folders below for lattice files, and stores the facts in their headers in the
// catalogue. Files with unchanged size and time stamp are not read again. A transaction holds some hundred files, so a
// kill loses no more than those. Without folders, indexes those that were indexed before.
// not_found: a folder; io: another process keeps the catalogue locked; malformed: it is damaged; unsupported: it was
// made by a later version; no_permission, no_space.
LQ_API IndexReport index(const std::vector<std::string>& folders, const CatalogueOptions& options = {});

// A file as described in the catalogue.
struct Entry {
  std::string path;
  std::string format, kind, lattice, precision, group;  // of the first field: "gauge", "8x8x8x16", "double", "SU(3)"
  std::uint64_t size = 0;
  std::uint64_t fields = 0;
  std::string checksum;                    // SciDAC checksum of the first field, stored or otherwise computed
  std::optional<std::uint64_t> cksum;      // POSIX cksum of the whole file when it was last verified
  std::optional<double> plaquette;         // measured, or otherwise as stated
  std::optional<double> link_trace;        // as stated
  std::optional<std::int64_t> trajectory;  // from the texts of the file, or otherwise from its name
  std::string series;
  // "indexed" (not verified yet), a verdict ("sound", "consistent", "unproven", "damaged", "incomplete", "unreadable"),
  // or "missing".
  std::string state;
  std::string modified, indexed, verified;  // times, "2026-11-25T20:00:00Z"
  Metadata properties;                      // facts in its texts
  // Values that index() measured for the present file, by column name: "wilson_1x1", "charge", "t0", ...
  std::vector<std::pair<std::string, double>> observables;
};

struct Found {
  std::vector<Entry> files;
  std::vector<std::string> warnings;  // names that no file has
};

// Local. Returns the files that match an expression such as "beta=6.0 trajectory>=1000 not damaged"; empty: all. Names
// are members of Entry, or names of properties, or states; = != < <= > >= compare, ~ and !~ match patterns with * and
// ?; and, or, not, parentheses; adjacent terms are joined by and.
// `below=DIR` selects the files in a folder. invalid_argument: a syntax error, with its position, or a name that no
// file of the catalogue has, with a similar one; not_found: there is no catalogue; others as index().
LQ_API Found find(const std::string& expression, const CatalogueOptions& options = {});
// Local. The same, one file after the other, in memory that does not grow with entries but by a number for each file:
// for catalogues of millions. The catalogue is not locked while `each` runs; entries that are removed meanwhile are
// left out.
LQ_API void find(const std::string& expression, const std::function<void(const Entry& file)>& each,
                 const CatalogueOptions& options = {});

// A verified file, compared with the facts in the catalogue.
struct Scrubbed {
  std::string path;
  // The verdict of its verification ("sound", "consistent", "unproven", "damaged", "incomplete"), or: "bit rot": its
  // bytes have changed since it was last verified, although size and time stamp have not; "replaced": it was written to
  // since, and is sound or consistent; "changed and damaged": it was written to since, and is damaged; "missing";
  // "unreadable".
  std::string verdict;
  std::string sentence;  // what it means
  Verification verification;
};

struct ScrubReport {
  std::string db;
  std::uint64_t due = 0;
  std::uint64_t sound = 0;       // "replaced" among them
  std::uint64_t consistent = 0;  // the same
  std::uint64_t replaced = 0;
  std::uint64_t bit_rot = 0;
  std::uint64_t damaged = 0;
  std::uint64_t unproven = 0;
  std::uint64_t incomplete = 0;
  std::uint64_t missing = 0;
  std::uint64_t unreadable = 0;
  double seconds = 0;
  std::vector<Scrubbed> failed;  // all that are neither sound nor consistent, and those that were replaced

  bool ok() const noexcept { return bit_rot + damaged + unproven + incomplete + missing + unreadable == 0; }
};

// Local. Verifies the files of the catalogue, or those selected by `which`, that were not verified within `since`,
// longest ago first, and stores the verdicts. Errors as find().
LQ_API ScrubReport scrub(const CatalogueOptions& options = {});

// Local. Reports what stands out among the files of the catalogue. Errors as find().
LQ_API Assessment assess(const CatalogueOptions& options = {});

// Local. The observables of a field under their catalogue names: "wilson_1x1", "charge", "flow_charge", "t0", ...
LQ_API std::vector<std::pair<std::string, double>> observable_values(const Observables& measured);
// Local. The observables of the present file that the catalogue in its folder, or in the nearest folder above, stores,
// under the same names, and "flow_steps" and "flow_step"; empty if there is no such catalogue or it has none. Errors
// as find().
LQ_API std::vector<std::pair<std::string, double>> catalogued_observables(const std::string& path);

struct PageReport {
  std::string path;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // of the page
  double seconds = 0;
};

// Local. Writes one HTML page without external links about the files of the folders (none: all of the catalogue): a
// table, plaquettes, what is damaged and where, what is missing. The catalogue is updated first; if none exists, or it
// is read-only, this is done in memory. exists: a file of that name exists; others as index().
// One of several verified files.
LQ_API PageReport report_page(const std::vector<std::string>& folders, const std::string& page,
                              const CatalogueOptions& options = {});

// A file of several that were verified.
struct VerifiedFile {
  std::string path;
  Verdict verdict = Verdict::sound;
  std::string problem;                       // what an unverifiable file is, and why it should be a lattice file
  std::optional<Verification> verification;  // if it could be read
  std::optional<Error> error;                // otherwise, why not
  bool is_named = false;                     // named by the caller, not found in a folder

  // A file of other programs that was found in a folder.
  bool is_stranger() const noexcept { return verdict == Verdict::foreign && !is_named; }
  // True if the verdict is as good as required, or none is needed.
  bool ok() const noexcept { return is_stranger() || (verification && verification->ok); }
};

// The number of files with each verdict.
class VerdictCounts {
 public:
  void add(Verdict verdict) noexcept { ++counts_[static_cast<std::size_t>(verdict)]; }
  std::uint64_t operator[](Verdict verdict) const noexcept { return counts_[static_cast<std::size_t>(verdict)]; }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Verdict::foreign) + 1> counts_{};
};

// The files below folders, as `lq verify -r` reports them.
struct VerifiedFiles {
  bool ok = true;  // all of `files` are ok: `lq verify -r` exits with 0
  VerdictCounts counts;
  std::vector<VerifiedFile> files;      // all that should be lattice files
  std::vector<VerifiedFile> strangers;  // files of other programs
};

// Local. Verifies several files independently, `threads` at a time; calls `tell` with the verdicts in the order of the
// paths.
LQ_API void verify_all(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                       const std::function<void(const VerifiedFile& file)>& tell);

// Local. Verifies the files below folders, and files that are named directly, each entry once: subfiles, volumes and
// other parts belong to their entry. Every file that should be a lattice file is reported, even if no format recognises
// it (unreadable): files that are empty or begin with zeros, have the suffix of a format, have a name or size like a
// lattice file in the same folder, or are in the catalogue of the folder or the nearest one above, even if they no
// longer exist. Temporary files of writers are reported as being written, or as incomplete if they are older than a
// day. All others are foreign. `options.progress` counts files.
LQ_API void verify_below(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                         const std::function<void(const VerifiedFile& file)>& tell);
// Local. The same, `options.threads` files at a time, with all verdicts in one answer.
LQ_API VerifiedFiles verify_below(const std::vector<std::string>& paths, const VerifyOptions& options = {});

// Opens a packed file (compressed, an archive): returns the path by which its contents can be read as long as the
// result exists; nullptr for a file that is not packed. Throws Error if it cannot be opened. Any thread calls it, and
// several at a time.
using Unpack = std::function<std::shared_ptr<const std::string>(const std::string& path)>;

// Local. Makes verify_below(), index(), scrub() and report_page() judge packed files that should be lattice files by
// their contents, as `lq` and the Python package do. Empty (the default): such files are unreadable.
LQ_API void set_unpacking(Unpack unpack);

// What is below a folder, with nothing verified.
struct Below {
  std::vector<std::string> entries;  // lattice files, each once: volumes, parts and subfiles belong to their first
  // Files that should be lattice files and are none (unreadable), those that are being written or were left behind, and
  // strangers (foreign), each with its problem.
  std::vector<VerifiedFile> others;
};

// Local. Looks at the headers of the files below a folder, as verify_below() does first. Sorted. not_found.
LQ_API Below look_below(const std::string& folder, int threads = 0, const Limits& limits = {});

// Local. The files below a folder, sorted, without what other programs left there; the path itself where it is a file.
LQ_API std::vector<std::string> files_below(const std::string& path);

LQ_API std::string to_json(const IndexReport& report);
LQ_API std::string to_json(const Entry& entry);
LQ_API std::string to_json(const Found& found);
LQ_API std::string to_json(const ScrubReport& report);
// The Verification of the file, if it could be verified.
LQ_API std::string to_json(const VerifiedFile& file);
LQ_API std::string to_json(const VerdictCounts& counts);
LQ_API std::string to_json(const VerifiedFiles& files);
LQ_API std::string to_json(const Assessment& assessment);
LQ_API std::string to_json(const PageReport& report);

}  // namespace lq::ensemble
