// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::protect(): decides which files share a sidecar, and examines each of them before it is written (io/parity.hpp).
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/protect.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"
#include "io/catalog_codec.hpp"
#include "io/new_file.hpp"
#include "io/parity.hpp"
#include "io/scan.hpp"
#include "io/verdict.hpp"
#include "options/agreed.hpp"
#include "protection/sidecar.hpp"
#include "sets/checkpoint/protected.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/staging/sources.hpp"

namespace lq {
namespace sets {
namespace {

namespace fs = std::filesystem;

// Files that share one sidecar.
struct Job {
  std::string sidecar;
  std::vector<std::string> paths = {};
  bool is_set = false;
};

// Names in a folder that are temporary, or not data.
bool is_left_out(const std::string& name) {
  return name.starts_with('.') || protection::is_sidecar(name) || is_leftover_name(name) ||
         base::parse_temporary_name(name) || name.starts_with("lq-catalogue.db");
}

// Regular files, and the folders below, sorted by name.
struct Listed {
  std::vector<std::string> files, folders;
};

Listed list_folder(const std::string& folder) {
  std::vector<std::string> names;
  if (const int failure = base::names_in(folder, names); failure != 0) {
    base::fail(Code::no_permission, folder, "cannot read the folder: {}", std::strerror(failure));
  }
  Listed listed;
  for (const std::string& name : names) {
    const std::string path = (folder.ends_with('/') ? folder : folder + '/') + name;
    std::error_code failure;
    const fs::file_status status = fs::symlink_status(path, failure);
    if (failure || is_left_out(name)) continue;
    if (status.type() == fs::file_type::regular) listed.files.push_back(path);
    if (status.type() == fs::file_type::directory) listed.folders.push_back(path);
  }
  return listed;
}

Job job_of_one(const std::string& path) { return {path + std::string(protection::parity_ending), {path}}; }

Job job_of_folder(std::vector<std::string> files) {
  if (files.size() == 1) return job_of_one(files.front());
  const std::string sidecar = base::folder_before(files.front()) + std::string(protection::folder_sidecar);
  return {sidecar, std::move(files), true};
}

// At the root.
class Planner {
 public:
  explicit Planner(const ProtectOptions& options) : options_(options) {}

  std::vector<Job> plan(const std::vector<std::string>& paths) {
    if (paths.empty()) throw Error(Code::invalid_argument, "nothing to protect: no files were given");
    for (const std::string& path : paths) add(path);
    if (!together_.empty()) add_together();
    if (jobs_.empty()) {
      base::fail(Code::not_found, paths.front(), "there are no files to protect in this folder");
    }
    std::set<std::string> sidecars;
    for (const Job& job : jobs_) {
      if (sidecars.insert(job.sidecar).second) continue;
      base::fail(Code::invalid_argument, job.sidecar, "two of the given files would have this sidecar; name each once");
    }
    return std::move(jobs_);
  }

 private:
  void add(const std::string& path) {
    switch (storage::resolve(path).kind(path)) {
      case storage::PathKind::file:
        return add_file(path);
      case storage::PathKind::directory:
        if (options_.together) {
          base::fail(Code::invalid_argument, path,
                     "a folder always has one sidecar for its files; name files to group them");
        }
        return add_folder(path);
      case storage::PathKind::absent:
      case storage::PathKind::dangling_link:
        base::fail(Code::not_found, path, "the file does not exist; check the name");
      case storage::PathKind::other:
        break;
    }
    base::fail(Code::invalid_argument, path,
               "cannot be protected: it is not a regular file (a pipe, socket or device)");
  }

  void add_file(const std::string& path) {
    if (protection::is_sidecar(path)) {
      base::fail(Code::invalid_argument, path, "this is a sidecar; name the file that it protects");
    }
    // Files next to which a sidecar can be written.
    if (storage::resolve(path).kind(base::directory_of(path)) != storage::PathKind::directory) {
      base::fail(Code::unsupported, path, "only files of the file system can be protected; copy it there first");
    }
    std::vector<std::string> files = files_with(path);
    for (std::string& member : members_of(path, {})) {
      if (std::ranges::count(files, member) == 0) files.push_back(std::move(member));
    }
    if (options_.together) {
      together_.insert(together_.end(), files.begin(), files.end());
    } else if (files.size() == 1) {
      jobs_.push_back(job_of_one(path));
    } else {
      const std::string sidecar = files.front() + std::string(protection::set_ending);
      jobs_.push_back({sidecar, std::move(files), true});
    }
  }

  void add_folder(const std::string& folder) {
    Listed listed = list_folder(folder);
    if (!listed.files.empty()) jobs_.push_back(job_of_folder(std::move(listed.files)));
    for (const std::string& below : listed.folders) add_folder(below);
  }

  void add_together() {
    std::ranges::sort(together_);
    together_.erase(std::unique(together_.begin(), together_.end()), together_.end());
    for (const std::string& path : together_) {
      if (base::folder_before(path) == base::folder_before(together_.front())) continue;
      base::fail(Code::invalid_argument, path, "files that share a sidecar must be in one folder; {} is in another",
                 together_.front());
    }
    jobs_.push_back(job_of_folder(std::move(together_)));
  }

  const ProtectOptions& options_;
  std::vector<Job> jobs_;
  std::vector<std::string> together_;
};

std::vector<std::byte> told(const std::vector<Job>& jobs) {
  std::vector<std::byte> bytes;
  comm::append(bytes, std::uint64_t{jobs.size()});
  for (const Job& job : jobs) {
    comm::append_text(bytes, job.sidecar);
    comm::append(bytes, job.is_set);
    comm::append(bytes, std::uint64_t{job.paths.size()});
    for (const std::string& path : job.paths) comm::append_text(bytes, path);
  }
  return bytes;
}

std::vector<Job> jobs_of(base::Bytes bytes) {
  std::vector<Job> jobs(static_cast<std::size_t>(comm::take<std::uint64_t>(bytes)));
  for (Job& job : jobs) {
    job.sidecar = comm::take_text(bytes);
    job.is_set = comm::take<bool>(bytes);
    job.paths.resize(static_cast<std::size_t>(comm::take<std::uint64_t>(bytes)));
    for (std::string& path : job.paths) path = comm::take_text(bytes);
  }
  return jobs;
}

class Protecting {
 public:
  Protecting(const Communicator& communicator, const ProtectOptions& options)
      : communicator_(communicator), comm_(communicator.engine()), options_(options) {}

  ProtectReport run(const std::vector<std::string>& paths) {
    const base::Stopwatch watch;
    ratio_ = comm::agree_alike(
        comm_, [&] { return io::parity_ratio(options_.parity.empty() ? ProtectOptions().parity : options_.parity); });
    const comm::FromRoot plan = comm::bytes_from_root(comm_, [&] {
      std::vector<Job> jobs = Planner(options_).plan(paths);
      for (const Job& job : jobs) {
        io::require_target(storage::resolve(job.sidecar), job.sidecar, options_.overwrite);
        for (const std::string& path : job.paths) total_ += storage::resolve(path).identity(path).bytes;
      }
      return told(jobs);
    });
    const std::vector<Job> jobs = comm::agree_alike(comm_, [&] { return jobs_of(plan.bytes()); });
    report_.stretch_bytes = report_.window_bytes = std::numeric_limits<std::uint64_t>::max();
    for (const Job& job : jobs) protect_files(job);
    report_.seconds = comm::max_over_ranks(comm_, watch.seconds());
    return std::move(report_);
  }

 private:
  void protect_files(const Job& job) {
    std::vector<storage::Identity> before;
    comm::agree_at_root(comm_, [&] {
      for (const std::string& path : job.paths) before.push_back(storage::resolve(path).open_read(path)->identity());
    });
    std::vector<std::vector<protection::OwnSum>> sums;
    comm::agree(comm_, [&] { sums.resize(job.paths.size()); });
    std::set<std::string> is_answered_for;
    for (std::size_t i = 0; i < job.paths.size(); ++i) {
      if (!is_answered_for.contains(job.paths[i])) sums[i] = examined(job.paths[i], is_answered_for);
    }
    compare_with_older(job, before);
    const io::ParityRequest request = comm::agree_alike(comm_, [&] {
      return io::ParityRequest{.sidecar = job.sidecar,
                               .paths = job.paths,
                               .is_set = job.is_set,
                               .ratio = ratio_,
                               .lost_files = options_.lost_files,
                               .overwrite = options_.overwrite,
                               .sync = options_.sync,
                               .threads = options_.threads,
                               .tell = [this](std::uint64_t bytes) { tell(bytes); },
                               .before = std::move(before),
                               .sums = std::move(sums)};
    });
    const protection::Head head = io::write_parity(communicator_, request);
    for (const protection::ProtectedPart& file : head.files) done_ += file.bytes;
    comm::agree_alike(comm_, [&] { add_to_report(job, head, io::paths_of(head, job.sidecar)); });
  }

  // Everything depends on its own sums: a file that contradicts them is not protected.
  std::vector<protection::OwnSum> examined(const std::string& path, std::set<std::string>& is_answered_for) {
    std::optional<Verification> found;
    std::exception_ptr failure;
    const std::shared_ptr<io::ScannedFile> file = scanned(path);
    const Catalog nothing;
    const Catalog& catalog = file ? file->catalog() : nothing;
    VerifyOptions how{.threads = options_.threads};
    if (are_proven(catalog)) how.physics = Measure::never;
    if (options_.progress) how.progress = [this](std::uint64_t, std::uint64_t) { tell(0); };
    try {
      found = verify_own(storage::resolve(path), path, communicator_, how);
    } catch (const Error& error) {
      if (error.code() != Code::unknown_format) failure = std::current_exception();
    }
    std::vector<protection::OwnSum> sums;
    comm::agree_alike(comm_, [&] {
      if (failure) std::rethrow_exception(failure);
      if (found && found->verdict >= Verdict::damaged) throw refused(*found);
      if (!found || found->verdict != Verdict::sound) tell_unproven(path, found);
    });
    if (!found) return sums;
    comm::agree(comm_, [&] {
      for (const std::string& member : members_of(path, catalog)) {
        is_answered_for.insert(member);
        verdicts_[member] = found->verdict;
      }
      sums = io::own_sums(catalog);
    });
    return sums;
  }

  // The whole file if it describes a set. Empty: it cannot be scanned, as the examination reports.
  std::shared_ptr<io::ScannedFile> scanned(const std::string& path) const {
    try {
      return io::ScannedFile::open(storage::resolve(path), path, communicator_, {});
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      return {};
    }
  }

  static Error refused(const Verification& found) {
    const auto error = io::first_error(found);
    const std::string what = error ? error->what() : fmt::format("{}: the file is {}", found.path, name(found.verdict));
    return {
        error && error->code() == Code::truncated ? Code::truncated : Code::checksum_mismatch,
        fmt::format("{}. Parity over damaged data would keep the damage: no sidecar is written. Repair or restore the "
                    "file first",
                    what),
        {.path = found.path}};
  }

  void tell_unproven(const std::string& path, const std::optional<Verification>& found) {
    const std::string why = !found ? "no format is recognised"
                            : found->verdict == Verdict::consistent
                                ? "no checksum disagrees, but not all of it has an exact checksum"
                                : "its data look wrong, although no checksum says so";
    report_.findings.push_back(
        {.severity = found && found->verdict == Verdict::consistent ? Severity::note : Severity::warning,
         .rule = "protect-unproven",
         .message = fmt::format("{}: protected in its present state: {}", path, why)});
  }

  // A new sidecar records the present data as correct, so this is the last chance to detect damage.
  void compare_with_older(const Job& job, const std::vector<storage::Identity>& before) {
    Catalog carrier;
    io::broadcast(comm_, [&]() -> Catalog& {
      if (!communicator_.is_root()) return carrier;
      std::map<std::string, protection::Cover> older;  // by the paths of sidecars, of one of their files
      for (std::size_t i = 0; i < job.paths.size(); ++i) {
        const auto cover = older_cover(job.paths[i], carrier.findings);
        if (!cover) continue;
        compare(*cover, job.paths[i], before[i], carrier.findings);
        older.emplace(cover->sidecar->path(), *cover);
      }
      for (const auto& [path, cover] : older) {
        if (path == job.sidecar) tell_dropped(job, cover.sidecar, carrier.findings);
      }
      return carrier;
    });
    comm::agree_alike(comm_, [&] { std::ranges::move(carrier.findings, std::back_inserter(report_.findings)); });
  }

  static std::optional<protection::Cover> older_cover(const std::string& path, std::vector<Finding>& findings) {
    try {
      return protection::find_cover_in_folder(path);
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      const std::string what = fmt::format("{}. Nothing shows whether the files are unchanged", error.what());
      io::add_new_findings(findings, {{.severity = Severity::warning, .rule = "parity-unreadable", .message = what}});
      return {};
    }
  }

  void compare(const protection::Cover& cover, const std::string& path, const storage::Identity& now,
               std::vector<Finding>& findings) const {
    const JudgedFile judged = judge(cover, path, options_.threads);
    if (judged.is_ok() || judged.file.state == ProtectedState::changed) return;
    if (judged.file.state == ProtectedState::unproven) return warn("protect-differs", sentence_of(judged), findings);
    const std::string what = fmt::format(
        "{}: {} differ from the data protected by {}", path,
        judged.file.damaged.empty() ? std::string("bytes after its end") : text_of_damage(judged), judged.file.sidecar);
    const auto verdict = verdicts_.find(path);
    const bool is_proven = verdict != verdicts_.end() && verdict->second == Verdict::sound;
    if (is_proven && cover.part().modified != now.modified) {  // a text was edited
      return warn("protect-differs", what + ", but its own sums prove its numbers, and it was modified since",
                  findings);
    }
    insist(
        "protect-differs", path, what + ", and no sum of the file itself proves them",
        "A new sidecar would keep the damage. `lq repair` restores the file; if it was changed on purpose, allow this "
        "with options.accept_damage = true",
        findings);
  }

  static std::string text_of_damage(const JudgedFile& judged) {
    std::vector<protection::Range> ranges;
    for (const ByteRange& range : judged.file.damaged) ranges.push_back({range.offset, range.length});
    return protection::text_of(ranges);
  }

  // Files of a sidecar that is to be replaced, if the new one does not cover them.
  void tell_dropped(const Job& job, const std::shared_ptr<const protection::Sidecar>& older,
                    std::vector<Finding>& findings) const {
    for (std::size_t i = 0; i < older->head().files.size(); ++i) {
      const std::string path = older->path_of(i);
      if (std::ranges::count(job.paths, path) > 0) continue;
      if (storage::resolve(path).kind(path) != storage::PathKind::absent) {
        warn("protect-dropped", fmt::format("{}: {} protected this file, and no longer will", path, job.sidecar),
             findings);
      } else if (judge({older, i}, path, options_.threads).file.state == ProtectedState::damaged) {
        insist("protect-dropped", path,
               fmt::format("{}: the file is missing, and {} can restore it", path, job.sidecar),
               "A new sidecar would not. `lq repair` restores the file; if it was removed on purpose, use "
               "options.accept_damage = true",
               findings);
      }
    }
  }

  static void warn(std::string rule, std::string what, std::vector<Finding>& findings) {
    findings.push_back({.severity = Severity::warning, .rule = std::move(rule), .message = std::move(what)});
  }

  void insist(std::string rule, const std::string& path, const std::string& what, std::string_view refusal,
              std::vector<Finding>& findings) const {
    if (!options_.accept_damage) {
      throw Error(Code::checksum_mismatch, fmt::format("{}. {}", what, refusal), {.path = path});
    }
    warn(std::move(rule), what + ". This is accepted", findings);
  }

  void tell(std::uint64_t bytes) {
    if (options_.progress && communicator_.is_root()) options_.progress(std::min(total_, done_ + bytes), total_);
  }

  void add_to_report(const Job& job, const protection::Head& head, const std::vector<std::string>& paths) {
    report_.sidecars.push_back(job.sidecar);
    report_.sidecar_bytes += head.sidecar_bytes();
    report_.stretch_bytes = std::min(report_.stretch_bytes, head.stretch_bytes());
    report_.window_bytes = std::min(report_.window_bytes, head.window_bytes());
    const std::uint32_t lost = std::min(head.lost_files(), static_cast<std::uint32_t>(head.files.size()));
    report_.lost_files = report_.sidecars.size() == 1 ? lost : std::min(report_.lost_files, lost);
    if (options_.lost_files > 0 && lost < static_cast<std::uint32_t>(options_.lost_files)) tell_fewer(job, lost);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      report_.bytes += head.files[i].bytes;
      report_.files.push_back({.path = paths[i], .sidecar = job.sidecar, .bytes = head.files[i].bytes});
    }
  }

  void tell_fewer(const Job& job, std::uint32_t lost) {
    const std::string why = job.is_set ? fmt::format("all of its {} files could be lost", lost)
                                       : "it protects one file, which cannot be restored if all of it is lost";
    report_.findings.push_back(
        {.severity = Severity::warning,
         .rule = "protect-lost-files",
         .message = fmt::format("{}: {} lost files were requested: {}", job.sidecar, options_.lost_files, why)});
  }

  const Communicator& communicator_;
  comm::Comm& comm_;
  const ProtectOptions& options_;
  ProtectReport report_;
  std::map<std::string, Verdict> verdicts_;  // without sidecars, of the files with a known format
  double ratio_ = 0;
  std::uint64_t total_ = 0, done_ = 0;
};

// Files and their sidecars compared, by the root and its threads.
class CheckingSidecars {
 public:
  explicit CheckingSidecars(const ProtectOptions& options) : options_(options) {}

  ProtectReport run(const std::vector<std::string>& paths) {
    const base::Stopwatch watch;
    if (paths.empty()) throw Error(Code::invalid_argument, "nothing to check: no files were given");
    report_.stretch_bytes = report_.window_bytes = std::numeric_limits<std::uint64_t>::max();
    for (const std::string& path : paths) add(path);
    if (report_.sidecars.empty()) report_.stretch_bytes = report_.window_bytes = 0;
    report_.seconds = watch.seconds();
    return std::move(report_);
  }

 private:
  void add(const std::string& path) {
    switch (storage::resolve(path).kind(path)) {
      case storage::PathKind::directory:
        return add_folder(path);
      case storage::PathKind::file:
        return protection::is_sidecar(path) ? add_sidecar(path) : add_file(path);
      default:
        break;
    }
    if (!add_covered(path)) {
      base::fail(Code::not_found, path, "the file does not exist, and no sidecar covers it; check the name");
    }
  }

  void add_file(const std::string& path) {
    if (add_covered(path)) return;
    report_.ok = false;
    report_.files.push_back({.path = path, .state = ProtectedState::unprotected});
    report_.findings.push_back({.severity = Severity::error,
                                .code = Code::not_found,
                                .rule = "parity-unprotected",
                                .message = path + ": no sidecar protects this file; `lq protect` makes one"});
  }

  // All existing sidecars, and the files without one.
  void add_folder(const std::string& folder) {
    std::vector<std::string> names;
    base::names_in(folder, names);
    const std::string beginning = folder.ends_with('/') ? folder : folder + '/';
    for (const std::string& name : names) {
      if (protection::is_sidecar(name) && !name.starts_with('.')) add_sidecar(beginning + name);
    }
    const Listed listed = list_folder(folder);
    for (const std::string& path : listed.files) {
      if (!files_.contains(path)) add_file(path);
    }
    for (const std::string& below : listed.folders) add_folder(below);
  }

  bool add_covered(const std::string& path) {
    const auto cover = protection::find_cover_in_folder(path);
    if (!cover) return false;
    look(*cover->sidecar);
    add_judged(*cover, path);
    // The state of a set follows from its files.
    if (cover->sidecar->path() != path + std::string(protection::set_ending)) return true;
    for (std::size_t i = 0; i < cover->sidecar->head().files.size(); ++i) {
      add_judged({cover->sidecar, i}, cover->sidecar->path_of(i));
    }
    return true;
  }

  void add_sidecar(const std::string& path) {
    try {
      const auto sidecar = std::make_shared<const protection::Sidecar>(storage::resolve(path), path);
      look(*sidecar);
      for (std::size_t i = 0; i < sidecar->head().files.size(); ++i) add_judged({sidecar, i}, sidecar->path_of(i));
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      report_.ok = false;
      report_.findings.push_back(
          {.severity = Severity::error, .code = error.code(), .rule = "parity-unreadable", .message = error.what()});
    }
  }

  // Checks a sidecar once.
  void look(const protection::Sidecar& sidecar) {
    if (std::ranges::count(report_.sidecars, sidecar.path()) > 0) return;
    report_.sidecars.push_back(sidecar.path());
    report_.sidecar_bytes += sidecar.head().sidecar_bytes();
    report_.stretch_bytes = std::min(report_.stretch_bytes, sidecar.head().stretch_bytes());
    report_.window_bytes = std::min(report_.window_bytes, sidecar.head().window_bytes());
    const std::uint32_t lost =
        std::min(sidecar.head().lost_files(), static_cast<std::uint32_t>(sidecar.head().files.size()));
    report_.lost_files = report_.sidecars.size() == 1 ? lost : std::min(report_.lost_files, lost);
    for (Finding& finding : findings_of(sidecar, sidecar.damage(options_.threads))) {
      report_.ok = false;
      finding.severity = Severity::error;
      finding.code = Code::checksum_mismatch;
      report_.findings.push_back(std::move(finding));
    }
  }

  void add_judged(const protection::Cover& cover, const std::string& path) {
    if (!files_.insert(path).second) return;
    const JudgedFile judged = judge(cover, path, options_.threads, options_.progress);
    report_.bytes += judged.file.bytes;
    report_.ok = report_.ok && judged.is_ok();
    for (Finding& finding : findings_of(judged)) {
      if (finding.severity == Severity::warning) finding.code = Code::checksum_mismatch;
      finding.severity = Severity::error;
      report_.findings.push_back(std::move(finding));
    }
    report_.files.push_back(judged.file);
  }

  const ProtectOptions& options_;
  ProtectReport report_;
  std::set<std::string> files_;
};

// Sends the root's results to all ranks.
void put_ranges(std::vector<std::byte>& bytes, const std::vector<ByteRange>& ranges) {
  comm::append(bytes, std::uint64_t{ranges.size()});
  comm::append_all(bytes, std::span(ranges));
}

std::vector<std::byte> told(const ProtectReport& report) {
  std::vector<std::byte> bytes;
  comm::append(bytes, std::uint64_t{report.sidecars.size()});
  for (const std::string& sidecar : report.sidecars) comm::append_text(bytes, sidecar);
  comm::append(bytes, std::uint64_t{report.files.size()});
  for (const ProtectedFile& file : report.files) {
    comm::append_text(bytes, file.path);
    comm::append_text(bytes, file.sidecar);
    comm::append(bytes, file.bytes);
    comm::append(bytes, file.state);
    comm::append(bytes, file.is_missing);
    put_ranges(bytes, file.damaged);
    put_ranges(bytes, file.lost);
  }
  comm::append(bytes, std::array{report.bytes, report.sidecar_bytes, report.stretch_bytes, report.window_bytes,
                                 std::uint64_t{report.lost_files}});
  comm::append(bytes, report.ok);
  comm::append(bytes, report.seconds);
  return bytes;
}

std::vector<ByteRange> take_ranges(base::Bytes& bytes) {
  const auto count = comm::take<std::uint64_t>(bytes);
  return comm::take_all<ByteRange>(bytes, static_cast<std::size_t>(count));
}

ProtectReport report_of(base::Bytes bytes) {
  ProtectReport report;
  report.sidecars.resize(static_cast<std::size_t>(comm::take<std::uint64_t>(bytes)));
  for (std::string& sidecar : report.sidecars) sidecar = comm::take_text(bytes);
  report.files.resize(static_cast<std::size_t>(comm::take<std::uint64_t>(bytes)));
  for (ProtectedFile& file : report.files) {
    file.path = comm::take_text(bytes);
    file.sidecar = comm::take_text(bytes);
    file.bytes = comm::take<std::uint64_t>(bytes);
    file.state = comm::take<ProtectedState>(bytes);
    file.is_missing = comm::take<bool>(bytes);
    file.damaged = take_ranges(bytes);
    file.lost = take_ranges(bytes);
  }
  const auto numbers = comm::take<std::array<std::uint64_t, 5>>(bytes);
  report.bytes = numbers[0];
  report.sidecar_bytes = numbers[1];
  report.stretch_bytes = numbers[2];
  report.window_bytes = numbers[3];
  report.lost_files = static_cast<std::uint32_t>(numbers[4]);
  report.ok = comm::take<bool>(bytes);
  report.seconds = comm::take<double>(bytes);
  return report;
}

ProtectReport check_sidecars(const std::vector<std::string>& paths, const Communicator& communicator,
                             const ProtectOptions& options) {
  comm::Comm& comm = communicator.engine();
  ProtectReport own;
  const comm::FromRoot bytes = comm::bytes_from_root(comm, [&] {
    own = CheckingSidecars(options).run(paths);
    return told(own);
  });
  ProtectReport report = comm::agree_alike(comm, [&] { return report_of(bytes.bytes()); });
  Catalog carrier;
  io::broadcast(comm, [&]() -> Catalog& {
    if (communicator.is_root()) carrier.findings = std::move(own.findings);
    return carrier;
  });
  report.findings = std::move(carrier.findings);
  return report;
}

}  // namespace
}  // namespace sets

ProtectReport protect(const std::vector<std::string>& paths, const Communicator& communicator,
                      const ProtectOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] {
    std::vector<comm::StatedArgument> all = options::stated("ProtectOptions", options);
    std::string names;
    for (const std::string& path : paths) names += path + '\n';
    all.push_back({"paths", names});
    return all;
  });
  return options.check ? sets::check_sidecars(paths, communicator, options)
                       : sets::Protecting(communicator, options).run(paths);
}

}  // namespace lq
