// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/repack/repair.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "format/format.hpp"
#include "io/journal.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/owners.hpp"
#include "storage/subfiles.hpp"
#include "storage/window.hpp"

namespace lq::sets {
namespace {

using storage::PartBytes;
using storage::Subfiles;

// A subfile with missing bytes.
struct LostSubfile {
  std::size_t number = 0;
  Code code = Code::ok;
  std::string what;
  std::uint64_t found = 0;  // existing bytes of it
};

std::vector<LostSubfile> lost_subfiles(const PartitionedFile& set) {
  std::vector<LostSubfile> lost;
  for (std::size_t k = 0; k < set.files.size(); ++k) {
    try {
      Subfiles(set, false).open(k);
    } catch (const Error& error) {
      if (error.code() != Code::not_found && error.code() != Code::truncated) throw;
      const std::string& path = set.files[k].path;
      const bool is_there = error.code() == Code::truncated;
      lost.push_back({k, error.code(), error.what(), is_there ? storage::resolve(path).open_read(path)->size() : 0});
    }
  }
  return lost;
}

// Slices of the slowest axis of an array, collected from pieces of the file.
class Slices {
 public:
  explicit Slices(const FileArray& array)
      : array_(array), bytes_(array.bytes() / static_cast<std::uint64_t>(array.extents.back())) {}

  // Pieces ascend.
  void add(std::uint64_t begin, std::uint64_t end) {
    begin = std::max(begin, array_.begin);
    end = std::min(end, array_.end());
    if (begin >= end) return;
    const std::uint64_t first = (begin - array_.begin) / bytes_, last = (end - 1 - array_.begin) / bytes_;
    if (ranges_.empty() || first > ranges_.back().second + 1) ranges_.emplace_back(first, last);
    ranges_.back().second = std::max(ranges_.back().second, last);
  }
  // ", in slices 4 to 7, 9 of 12"; for an array with one axis the bytes are enough.
  std::string text() const {
    if (ranges_.empty() || array_.extents.size() < 2) return "";
    std::string all;
    for (const auto& [first, last] : ranges_) {
      all +=
          (all.empty() ? "" : ", ") + (first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
    }
    return fmt::format(", in slices {} of {}", all, array_.extents.back());
  }

 private:
  const FileArray& array_;
  std::uint64_t bytes_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // first and last
};

// A longer list of pieces of a part would not be useful.
constexpr std::uint64_t most_pieces = std::uint64_t{1} << 20;

// The data of the file lost with the subfile.
Finding finding_of(const PartitionedFile& set, const LostSubfile& lost) {
  const FileArray& array = set.partition.array();
  PartBytes part(set.partition, lost.number, set.files[lost.number].offset,
                 lost.number == 0 ? std::optional(set.bytes) : std::nullopt);
  std::uint64_t bytes = 0, around = 0, first = set.bytes;
  Slices slices(array);
  std::uint64_t pieces = 0;
  for (storage::Piece piece; pieces < most_pieces && part.next(piece); ++pieces) {
    const std::uint64_t there = std::min(piece.bytes, lost.found > piece.part ? lost.found - piece.part : 0);
    if (there == piece.bytes) continue;
    const std::uint64_t begin = piece.file + there;
    bytes += piece.bytes - there;
    first = std::min(first, begin);
    slices.add(begin, piece.file_end());
    if (begin < array.begin || begin >= array.end()) around += piece.bytes - there;
  }
  Finding finding{.severity = Severity::error, .code = lost.code, .rule = "repair-lost-subfile"};
  finding.message =
      fmt::format("{}: {}{} bytes of the file are lost, from byte {} on{}{}", lost.what,
                  pieces == most_pieces ? "at least " : "", bytes, first, slices.text(),
                  around > 0 ? fmt::format("; {} of them are headers and texts, outside the array", around) : "");
  finding.offset = first;
  finding.length = bytes;
  return finding;
}

std::shared_ptr<Subfiles> whole_of(const PartitionedFile& set, storage::Lost lost) {
  return std::make_shared<Subfiles>(set, false, lost);
}

// The report on the whole; if it is not a lattice file, or its headers are lost, on its bytes.
RepackReport report_of_bytes(base::ByteSource& whole, const std::string& path, const RepackOptions& options) {
  try {
    base::CachedSource source(whole);
    return report_of(format::scan(source, options.limits), path, whole.size());
  } catch (const Error& error) {
    if (error.code() == Code::io) throw;
    RepackReport report;
    report.files = {path};
    report.bytes = report.file_bytes = whole.size();
    report.findings.push_back({.severity = Severity::note, .rule = "repair-bytes", .message = error.what()});
    return report;
  }
}

// If neither a sum nor the numbers show the loss, the new file is marked as unproven.
void state_lost(base::EditedSource& file, const RepackOptions& options) {
  const Catalog catalog = format::scan(file, options.limits);
  const format::Format& format = format::format_named(catalog.format);
  try {
    for (std::size_t i = catalog.fields.size(); i-- > 0;) {
      format.for_fields().store_sums(file, catalog, catalog.fields[i], {});
    }
    if (!catalog.fields.empty()) return;
  } catch (const Error& error) {
    if (error.code() != Code::unsupported) throw;
  }
  base::fail(Code::unsupported, file.path(),
             "subfiles of it are lost, and a file of the format \"{}\" cannot show that zeros "
             "replace them; use a good copy of the subfiles",
             format.name());
}

// Writes the existing data of the file in their places.
RepackReport rescue_subfiles(storage::Transport& transport, const PartitionedFile& set,
                             const std::vector<LostSubfile>& lost, const std::string& to,
                             const RepackOptions& options) {
  storage::Window whole(whole_of(set, storage::Lost::are_zeros));
  RepackReport report = report_of_bytes(whole, to, options);
  for (const LostSubfile& one : lost) {
    report.findings.push_back(finding_of(set, one));
    report.findings.back().message += "; they are zeros in the new file";
  }
  base::EditedSource rescued(whole);
  Verification examined = examine(transport, rescued, to, options);
  if (examined.ok) {
    state_lost(rescued, options);
    examined = examine(transport, rescued, to, options);
    report.file_bytes = rescued.size();
  }
  conclude(report, examined);
  if (!options.dry_run) write_file(transport, rescued, to, options);
  return report;
}

// An unfinished set has its own subfiles.
void remove_unfinished(storage::Transport& transport, const std::string& path, const PartitionedFile& set) {
  try {
    auto rest = storage::set_in(*transport.open_read(path), path);
    if (rest) {
      std::erase_if(rest->files, [&](const PartitionedFile::Subfile& subfile) {
        return std::ranges::find(set.files, subfile.path, &PartitionedFile::Subfile::path) != set.files.end();
      });
      storage::remove_subfiles(*rest, set.path);
    }
  } catch (const Error&) {
    // An incomplete description was written before any subfile.
  }
  transport.remove(path);
}

// What interrupted programs left next to an intact set.
std::vector<Finding> remove_leftovers(storage::Transport& transport, const PartitionedFile& set, bool dry_run) {
  std::vector<Finding> findings;
  const auto remove = [&](const std::string& path, const std::string& what, const auto& how) {
    if (transport.kind(path) != storage::PathKind::file) return;
    if (!dry_run) how(path);
    findings.push_back({.severity = Severity::warning,
                        .rule = "repair-leftover",
                        .message = fmt::format("{} is removed: {}", path, what)});
  };
  const auto plainly = [&](const std::string& path) { transport.remove(path); };
  for (const std::string& journal : io::journal_paths(set.path)) {
    remove(journal, "a journal of a file that had this name before the set", plainly);
  }
  const std::string unfinished = base::hidden_name(set.path, base::unfinished_copy_ending);
  // Checked before the lock: a program that makes one has locked its record first.
  const bool is_left = transport.kind(unfinished) == storage::PathKind::file;
  const storage::WriterLock lock = storage::lock_of_copy(set.path);
  if (is_left) {
    remove(unfinished, "an interrupted repartition",
           [&](const std::string& path) { remove_unfinished(transport, path, set); });
  }
  remove(base::hidden_name(set.path, base::copied_ending), "the record of an interrupted repartition", plainly);
  return findings;
}

RepackReport tidy(storage::Transport& transport, const PartitionedFile& set, const std::vector<LostSubfile>& lost,
                  const RepackOptions& options) {
  if (!lost.empty()) {
    std::string names;
    for (const LostSubfile& one : lost) names += fmt::format("\n  {}", finding_of(set, one).message);
    throw Error(lost.front().code,
                fmt::format("{}: {} of its {} subfiles {} lost, in part or whole; the remaining data can be written as "
                            "one file: name it (lq: -o OUT){}",
                            set.path, lost.size(), set.files.size(), lost.size() == 1 ? "is" : "are", names),
                {.path = set.files[lost.front().number].path});
  }
  const storage::WriterLock lock(set.path);
  std::vector<Finding> removed = remove_leftovers(transport, set, options.dry_run);
  const Verification examined = examine(transport, set.path, options);
  if (removed.empty()) {
    if (examined.ok) return nothing_to_repair(examined);
    base::fail(Code::invalid_argument, set.path,
               "the set has all of its subfiles, but its data are {}: \"lq repair -o OUT\" writes a file "
               "with what can be repaired",
               name(examined.verdict));
  }
  storage::Window whole(whole_of(set, storage::Lost::is_error));
  RepackReport report = report_of_bytes(whole, set.path, options);
  std::ranges::move(removed, std::back_inserter(report.findings));
  conclude(report, examined);
  return report;
}

// The set that a file describes, even if a byte of the description is damaged.
std::optional<PartitionedFile> set_described(storage::Transport& transport, const std::string& path,
                                             std::vector<Finding>& mended) {
  const auto file = transport.open_read(path);
  std::string what;
  try {
    if (auto set = storage::set_in(*file, path)) return set;
  } catch (const Error& error) {
    if (error.code() != Code::checksum_mismatch && error.code() != Code::malformed) throw;
    what = error.what();
  }
  const auto corrected = storage::corrected_set_in(*file, path);
  if (!corrected) {
    if (what.empty()) return {};
    throw Error(Code::checksum_mismatch, what, {.path = path});
  }
  mended.push_back({.severity = Severity::warning,
                    .rule = "repair-description",
                    .message = fmt::format("byte {} of the description of the set was 0x{:02x} and is 0x{:02x} by its "
                                           "checksum",
                                           corrected->offset, std::to_integer<unsigned>(corrected->found),
                                           std::to_integer<unsigned>(corrected->right)),
                    .offset = corrected->offset,
                    .length = 1});
  return corrected->set;
}

// For a set with only the description damaged, the whole file.
RepackReport written_whole(storage::Transport& transport, base::ByteSource& whole, const Target& target,
                           const RepackOptions& options) {
  target.require();
  RepackReport report = repair_opened(transport, whole, target, options);
  if (report.needed) return report;
  const Verdict verdict = report.verdict.value();
  report = report_of_bytes(whole, target.path, options);
  report.verdict = verdict;
  if (!options.dry_run) write_file(transport, whole, target.path, options);
  return report;
}

}  // namespace

std::optional<RepackReport> repair_subfiles(storage::Transport& transport, const std::string& from,
                                            const std::string& to, const RepackOptions& options) {
  std::vector<Finding> mended;
  const auto set = set_described(transport, from, mended);
  if (!set) return {};
  const std::vector<LostSubfile> lost = lost_subfiles(*set);
  if (to.empty() && mended.empty()) return tidy(transport, *set, lost, options);
  const auto require = [&] {
    require_target(transport, from, to, options.overwrite);
    const auto is_target = [&](const PartitionedFile::Subfile& subfile) { return is_same_file(subfile.path, to); };
    if (std::ranges::none_of(set->files, is_target)) return;
    base::fail(Code::invalid_argument, to, "this is a subfile of the set being repaired; choose another name");
  };
  RepackReport report;
  if (!lost.empty()) {
    require();
    report = rescue_subfiles(transport, *set, lost, to, options);
  } else {
    storage::Window whole(whole_of(*set, storage::Lost::is_error));
    report = mended.empty() ? repair_opened(transport, whole, {to, require}, options)
                            : written_whole(transport, whole, {to, require}, options);
  }
  std::ranges::move(mended, std::back_inserter(report.findings));
  return report;
}

}  // namespace lq::sets
