// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An ensemble at a glance: a catalogue of the lattice files below some folders, kept in one SQLite file
// (docs/formats/catalogue.md), asked, verified again when it is due, and shown as a page. All functions are local: one
// process calls them, and uses several threads. Part of the component ensemble: link Limequat::ensemble. Where that was
// built without SQLite, they throw unsupported.
#pragma once

#include <limequat/language.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq::ensemble {

struct CatalogueOptions {
  // The file of the catalogue; empty: "lq-catalogue.db" in this folder or the nearest one above that has it, which
  // index() makes in this folder where there is none.
  std::string db = {};
  int threads = 0;                          // that read files; 0: as many as there are cores
  bool forget = false;                      // index(): forget files that are no longer there
  std::string since = {};                   // scrub(): files that were verified within it are not due: "30d", "12h"
  Measure physics = Measure::when_it_fits;  // scrub()
  std::string sort = {};                    // find(): by which column, "-trajectory" downwards; empty: by path
  std::uint64_t most = 0;                   // find(): files at most; 0: all
  std::string title = {};                   // report_page()
  bool overwrite = false;                   // report_page(): replace an existing file
  // index(): measure the gauge fields whose observables are not known with this flow, which reads all of their data.
  bool observables = false;
  int flow_steps = 0;  // as in ObservablesOptions; more than 0 asks for the observables
  double flow_step = 0.01;
  Limits limits = {};
  Progress progress = {};  // files done, and all of them; called by the caller's thread
  // index(), report_page(): files and folders that are left out: patterns with * and ? of their names, or, where there
  // is a slash in one, of their paths below the folder; between commas: "*.tmp,old,scratch/*".
  std::string exclude = {};
  std::string which = {};  // scrub(): a file or folder, or an expression as find() takes them; empty: all
  std::string rate = {};   // scrub(): bytes read in a second at most: "100M" (K, M, G, T: thousands); empty: no limit
};

// Files with the same data.
struct Duplicates {
  std::string checksum;
  std::vector<std::string> paths;
};

// Files that are named alike but for a number belong to one series: "/data/conf.*.lime".
struct Gaps {
  std::string series;
  std::int64_t first = 0, last = 0;   // trajectories
  std::int64_t step = 0;              // between two of them, mostly
  std::uint64_t count = 0;            // trajectories that are missing
  std::vector<std::int64_t> missing;  // the first thousand of them
};

struct Outlier {
  std::string path, series;
  double plaquette = 0;
  double median = 0;     // of its series
  double deviation = 0;  // from it, in standard deviations as the median of deviations tells them
};

// Anything else that stands out, or the same in words.
struct Remark {
  // "duplicate-trajectory", "name-differs", "lattice-differs", "precision-differs", "kind-differs", "group-differs",
  // "fields-differ", "parameter-differs", "plaquette-outlier", "charge-outlier", "same-in-other-format", "warning" (of few of a series).
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

// A file that is no entry of the catalogue.
struct Stranger {
  std::string path;
  std::string what;  // "a text that begins with \"beta = 6.0\"", "being written", "a link to the folder ..."
};

// An entry that is not in order.
struct Problem {
  std::string path;
  std::string state;    // "damaged", "incomplete", "unreadable", "unproven", "missing"
  std::string problem;  // why, if it is known
};

struct IndexReport {
  std::string db;
  std::uint64_t files = 0;          // lattice files of the catalogue below these folders that are there
  std::uint64_t added = 0;          // read, and not known before
  std::uint64_t changed = 0;        // read again: size or time stamp are others
  std::uint64_t unchanged = 0;      // not read again
  std::uint64_t missing = 0;        // known, but no longer there
  std::uint64_t forgotten = 0;      // that were missing, with `forget`
  std::uint64_t others = 0;         // files of no format that is known, and parts of entries
  std::uint64_t damaged = 0;        // of `files`: headers are broken, or a verification failed
  std::uint64_t incomplete = 0;     // of `files`: their writers were interrupted
  std::uint64_t unreadable = 0;     // of `files`: what is there should be a lattice file, and cannot be read as one
  std::uint64_t being_written = 0;  // temporary files of writers, which are not members
  std::uint64_t leftovers = 0;      // the same, older than a day
  std::uint64_t measured = 0;       // files whose observables were measured, with `observables`
  std::uint64_t bytes = 0;          // of `files`
  double seconds = 0;
  std::vector<Stranger> strangers;  // files of other programs, and temporary ones
  std::vector<Problem> problems;    // entries that are damaged, incomplete, unreadable, unproven or missing
  // Folders that cannot be read, files that change while they are looked at, entries that were emptied or are something
  // else than before.
  std::vector<std::string> warnings;
  Assessment assessment;  // of all files of the catalogue
};

// Local. Looks for lattice files in the folders and below, and keeps in the catalogue what their headers say. Files
// whose size and time stamp are as they were are not read again. One transaction for some hundred files: whoever is
// killed has lost no more than those. No folders: those that were indexed before.
// not_found: a folder; io: another process keeps the catalogue locked; malformed: it is damaged; unsupported: it was
// made by a later version; no_permission, no_space.
LQ_API IndexReport index(const std::vector<std::string>& folders, const CatalogueOptions& options = {});

// A file as the catalogue has it.
struct Entry {
  std::string path;
  std::string format, kind, lattice, precision, group;  // of the first field: "gauge", "8x8x8x16", "double", "SU(3)"
  std::uint64_t size = 0;
  std::uint64_t fields = 0;
  std::string checksum;                    // SciDAC's of the first field, as stored or else as computed
  std::optional<std::uint64_t> cksum;      // of the whole file, as POSIX cksum has it, when it was verified last
  std::optional<double> plaquette;         // as measured or else as stated
  std::optional<double> link_trace;        // as stated
  std::optional<std::int64_t> trajectory;  // as the texts of the file or else its name say
  std::string series;
  // "indexed" (not verified yet), a verdict ("sound", "consistent", "unproven", "damaged", "incomplete", "unreadable"),
  // or "missing".
  std::string state;
  std::string modified, indexed, verified;  // times, "2026-11-25T20:00:00Z"
  Metadata properties;                      // facts in its texts
  // As index() measured them of the file as it is now, by their names as columns: "wilson_1x1", "charge", "t0", ...
  std::vector<std::pair<std::string, double>> observables;
};

struct Found {
  std::vector<Entry> files;
  std::vector<std::string> warnings;  // names that no file has
};

// Local. The files that fulfil an expression such as "beta=6.0 trajectory>=1000 not damaged"; empty: all. Names are
// members of Entry, or names of properties, or states; = != < <= > >= compare, ~ and !~ match patterns with * and ?;
// and, or, not, parentheses; terms side by side are joined by and.
// `below=DIR` are the files in a folder. invalid_argument: no such expression, which says where, or a name that no file
// of the catalogue has, with the one that may be meant; not_found: there is no catalogue; others as index().
LQ_API Found find(const std::string& expression, const CatalogueOptions& options = {});
// Local. The same, one file after the other, in memory that does not grow with entries but by a number for each file:
// for catalogues of millions. The catalogue is not locked while `each` runs; entries that are removed meanwhile are
// left out.
LQ_API void find(const std::string& expression, const std::function<void(const Entry& file)>& each,
                 const CatalogueOptions& options = {});

// A file that was verified, and how it compares with what was known.
struct Scrubbed {
  std::string path;
  // That of its verification ("sound", "consistent", "unproven", "damaged", "incomplete"), but: "bit rot": its bytes
  // are others than when it was verified last, although size and time stamp are not; "replaced": it was written to
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

// Local. Verifies the files of the catalogue, or those of `which`, that were not verified within `since`, longest ago
// first, and keeps the verdicts. Errors as find().
LQ_API ScrubReport scrub(const CatalogueOptions& options = {});

// Local. What stands out among the files of the catalogue. Errors as find().
LQ_API Assessment assess(const CatalogueOptions& options = {});

// Local. What the observables of a field are called in a catalogue: "wilson_1x1", "charge", "flow_charge", "t0", ...
LQ_API std::vector<std::pair<std::string, double>> observable_values(const Observables& measured);
// Local. What the catalogue in the folder of a file, or in the nearest one above, has of the file as it is, by the same
// names, and "flow_steps" and "flow_step"; nothing where there is no such catalogue, or where it has none. Errors as
// find().
LQ_API std::vector<std::pair<std::string, double>> catalogued_observables(const std::string& path);

struct PageReport {
  std::string path;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;  // of the page
  double seconds = 0;
};

// Local. One page of HTML without links to anywhere about the files of the folders (none: all of the catalogue): a
// table, plaquettes, what is damaged and where, what is missing. The catalogue is brought up to date before; where
// there is none, or it may not be written to, this is done in memory. exists: there is a file of that name; others as
// index().
LQ_API PageReport report_page(const std::vector<std::string>& folders, const std::string& page,
                              const CatalogueOptions& options = {});

// A file of several that were verified.
struct VerifiedFile {
  std::string path;
  Verdict verdict = Verdict::sound;
  std::string problem;                       // what it is that cannot be verified, and why it should be a lattice file
  std::optional<Verification> verification;  // of those that could be read
  std::optional<Error> error;                // why another could not
  bool is_named = false;                     // by the caller: it was not found in a folder

  // A file of other programs that was found in a folder.
  bool is_stranger() const noexcept { return verdict == Verdict::foreign && !is_named; }
  // The verdict is as good as was required, or nobody asks for one.
  bool ok() const noexcept { return is_stranger() || (verification && verification->ok); }
};

// How many files there are of each verdict.
class VerdictCounts {
 public:
  void add(Verdict verdict) noexcept { ++counts_[static_cast<std::size_t>(verdict)]; }
  std::uint64_t operator[](Verdict verdict) const noexcept { return counts_[static_cast<std::size_t>(verdict)]; }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Verdict::foreign) + 1> counts_{};
};

// What is below folders, as `lq verify -r` tells it.
struct VerifiedFiles {
  bool ok = true;  // each of `files` is: `lq verify -r` ends with 0
  VerdictCounts counts;
  std::vector<VerifiedFile> files;      // all that should be lattice files
  std::vector<VerifiedFile> strangers;  // files of other programs
};

// Local. Verifies several files, each for itself, `threads` at a time; `tell` gets the verdicts in the order of the
// paths.
LQ_API void verify_all(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                       const std::function<void(const VerifiedFile& file)>& tell);

// Local. Verifies the files below folders, and those that are named themselves, each entry once: subfiles, volumes and
// other parts belong to the entry that they are parts of. Whatever looks as if it should be a lattice file is told,
// also where no format recognises it (unreadable): empty files and those that begin with zeros, those with the suffix
// of a format, with a name or size like that of a lattice file beside them, and those that the catalogue in the folder
// or in the nearest one above has, among them files that are no longer there. Temporary files of writers are told as
// being written, or as incomplete if they are older than a day. All others are foreign. `options.progress` counts
// files.
LQ_API void verify_below(const std::vector<std::string>& paths, int threads, const VerifyOptions& options,
                         const std::function<void(const VerifiedFile& file)>& tell);
// Local. The same, `options.threads` files at a time, with all verdicts in one answer.
LQ_API VerifiedFiles verify_below(const std::vector<std::string>& paths, const VerifyOptions& options = {});

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
// Of a file that could be verified its Verification.
LQ_API std::string to_json(const VerifiedFile& file);
LQ_API std::string to_json(const VerdictCounts& counts);
LQ_API std::string to_json(const VerifiedFiles& files);
LQ_API std::string to_json(const Assessment& assessment);
LQ_API std::string to_json(const PageReport& report);

}  // namespace lq::ensemble
