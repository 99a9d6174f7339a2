// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/conversions.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <limequat/ensemble.hpp>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/json.hpp>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "cli/address.hpp"
#include "cli/arguments.hpp"
#include "cli/below.hpp"
#include "cli/exit_code.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "cli/write_arguments.hpp"

namespace lq::cli {
namespace {

namespace fs = std::filesystem;

// FOLDER/lq-convert.log, a line for each complete file: its bytes, its place in the folder, its checksum, its
// source.
class ConvertLog {
 public:
  // Reads an existing log; malformed lines are ignored.
  explicit ConvertLog(std::string folder);

  // True if the file was completed, and still has the size recorded then.
  bool has(const std::string& path) const;
  // io, no_permission, no_space.
  void add(const std::string& path, const std::string& from, const Report& report);

 private:
  std::string name_of(const std::string& path) const { return fs::path(path).lexically_relative(folder_).string(); }

  std::string folder_, path_;
  std::map<std::string, std::uint64_t> bytes_;  // by place
};

ConvertLog::ConvertLog(std::string folder) : folder_(std::move(folder)) {
  path_ = (fs::path(folder_) / "lq-convert.log").string();
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    // BYTES NAME\tCHECKSUM\tFROM
    const std::size_t space = line.find(' '), tab = line.find('\t');
    if (space == std::string::npos || tab == std::string::npos || tab < space) continue;
    const auto bytes = base::parse_u64(std::string_view(line).substr(0, space));
    if (bytes) bytes_[line.substr(space + 1, tab - space - 1)] = *bytes;
  }
}

bool ConvertLog::has(const std::string& path) const {
  const auto known = bytes_.find(name_of(path));
  std::error_code failure;
  return known != bytes_.end() && fs::file_size(path, failure) == known->second && !failure;
}

void ConvertLog::add(const std::string& path, const std::string& from, const Report& report) {
  std::error_code failure;
  const std::uint64_t bytes = fs::file_size(path, failure);
  // A name with an end of line would make two lines; such a file is inspected the next time.
  const std::string name = name_of(path);
  if (failure || name.find_first_of("\n\t") != std::string::npos) return;
  std::ofstream file(path_, std::ios::app);
  file << fmt::format("{} {}\t{}\t{}\n", bytes, name, report.stored ? to_string(*report.stored) : "-",
                      base::printable(from, 4096));
  file.flush();
  if (file) return;
  const int reason = errno;
  throw Error(reason == ENOSPC || reason == EDQUOT ? Code::no_space
              : reason == EACCES                   ? Code::no_permission
                                                   : Code::io,
              fmt::format("{}: cannot write the log of the conversion: {}", path_, std::strerror(reason)),
              {.path = path_, .system_errno = reason});
}

// One file and the name of its result.
struct ConversionJob {
  std::string from;
  std::string shown;  // the name to show for a pipe
  std::string to;
};

struct ConversionPlan {
  std::vector<ConversionJob> jobs;
  std::vector<ensemble::VerifiedFile> others;  // in the folders
  bool has_folders = false;
};

class ConversionPlanner {
 public:
  ConversionPlanner(const Session& session, const ManyConversions& many) : session_(session), many_(many) {
    std::error_code failure;
    own_ = fs::weakly_canonical(many.folder, failure);
  }

  ConversionPlan plan() {
    for (const std::string& input : many_.inputs) {
      const std::string shown = many_.shown(input);
      if (shown == standard_input) {
        throw UsageError("standard input has no file name to use in a folder; name the file to write");
      }
      if (is_folder(session_, input)) {
        add_folder(input);
      } else {
        // A packed file is named after its member of the archive.
        const fs::path called = input.find("://") != std::string::npos ? input : shown;
        add(input, fs::path(many_.folder) / named(called.filename().string()));
      }
    }
    return std::move(plan_);
  }

 private:
  // The contents of one folder go directly into the target; of several, each gets a subfolder.
  void add_folder(const std::string& folder) {
    plan_.has_folders = true;
    fs::path target = many_.folder;
    if (many_.inputs.size() > 1) {
      std::error_code failure;
      target /= fs::canonical(folder, failure).filename();
    }
    ensemble::Below below = look_below(session_, folder, many_.options.write.route.threads, many_.options.limits);
    for (const std::string& path : below.entries) {
      if (is_ours(path)) continue;
      const fs::path place = fs::path(path).lexically_relative(folder);
      add(path, target / place.parent_path() / named(without_packing(place.filename().string())));
    }
    for (ensemble::VerifiedFile& file : below.others) {
      if (!is_ours(file.path)) plan_.others.push_back(std::move(file));
    }
  }

  // Files in the target come from earlier runs.
  bool is_ours(const std::string& path) const {
    std::error_code failure;
    const fs::path place = fs::weakly_canonical(path, failure).lexically_relative(own_);
    return !place.empty() && *place.begin() != "..";
  }

  std::string named(const std::string& name) const {
    if (many_.keeps_format) return name;
    const auto suffixes = format_info(many_.options.write.format).suffixes;
    return without_suffix(name) + std::string(suffixes.empty() ? "" : suffixes.front());
  }

  void add(const std::string& input, const fs::path& target) {
    std::string to = target.lexically_normal().string();
    const auto [known, is_new] = sources_.emplace(to, input);
    if (!is_new) throw UsageError(fmt::format("\"{}\" and \"{}\" would both become \"{}\"", known->second, input, to));
    plan_.jobs.push_back({input, many_.shown(input), std::move(to)});
  }

  const Session& session_;
  const ManyConversions& many_;
  fs::path own_;
  ConversionPlan plan_;
  std::map<std::string, std::string> sources_;  // by target
};

// The outcome of one job.
struct ConversionOutcome {
  std::optional<Report> report;
  std::optional<Error> error;
  bool is_skipped = false;
  bool is_stale = false;  // skipped, though its source is newer
  bool has_streams = false;
  bool is_left = false;  // not tried
};

void make_folders(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (!failure || is_directory(folder.string())) return;
  throw Error(Code::io, fmt::format("{}: cannot create the folder: {}", folder.string(), failure.message()),
              {.path = folder.string(), .system_errno = failure.value()});
}

bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

// The folder itself, or its nearest existing parent.
fs::path nearest_folder(fs::path folder) {
  std::error_code failure;
  while (!folder.empty() && !fs::exists(folder, failure) && folder != folder.parent_path())
    folder = folder.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

class Converter {
 public:
  Converter(Session& session, const ManyConversions& many) : session_(session), many_(many), log_(many.folder) {}

  int run() {
    const ConversionPlan plan = ConversionPlanner(session_, many_).plan();
    if (!many_.options.dry_run) make_at_root(many_.folder);
    for (const ensemble::VerifiedFile& file : plan.others) tell_other(file);
    const AtOnce at_once(session_, plan.jobs.size(), many_.options.write.route.threads);
    threads_ = at_once.threads;
    take_in_order(
        session_, many_.options.dry_run ? "reading" : "converting", plan.jobs.size(), at_once,
        [&](std::size_t k) { return convert_one(plan.jobs[k]); },
        [&](std::size_t k, const ConversionOutcome& outcome) {
          if (session_.from_root(session_.out.wants_more() ? 1 : 0) == 1) tell(plan.jobs[k], outcome);
        });
    if (many_.options.dry_run) require_space();
    if (left_ > 0) {
      session_.complain(
          fmt::format("{} not tried because the disk is full; continue with --skip-existing", count(left_, "file")));
    }
    if (plan.has_folders) tell_summary(plan);
    return code_;
  }

 private:
  void make_at_root(const fs::path& folder) const {
    at_root(session_, [&] {
      make_folders(folder);
      return fine;
    });
  }
  ConversionOutcome convert_one(const ConversionJob& job) {
    ConversionOutcome outcome;
    outcome.is_left = is_full_;
    if (outcome.is_left) return outcome;
    try {
      convert_one(job, outcome);
    } catch (const Error& error) {
      outcome.error = error;
      // The remaining ones would fail one by one.
      if (error.code() == Code::no_space && !many_.options.dry_run) is_full_ = true;
    }
    return outcome;
  }

  void convert_one(const ConversionJob& job, ConversionOutcome& outcome) const {
    if (many_.skip_existing && at_root(session_, [&] { return is_done(job.to) ? 1 : 0; }) == 1) {
      outcome.is_skipped = true;
      outcome.is_stale = is_younger(job.from, job.to);
      return;
    }
    const FoundFile from(job.from, session_.communicator);
    const std::string format = inspect(from.path(), session_.communicator, many_.options.limits).format;
    if (!format.empty() && format_info(format).contents == Contents::streams) {
      outcome.has_streams = true;
      return;
    }
    ConvertOptions how = many_.options;
    how.write.route.threads = threads_;
    how.progress = {};
    if (many_.keeps_format) how.write.format = format;
    const std::string target = prepared(job.to, how);
    outcome.report = lq::convert(from.path(), target, session_.communicator, how);
    outcome.report->path = job.to;
    if (many_.options.dry_run) return;
    // Called by the caller's thread, in the order of the files.
  }

  // The path to write to. In a dry run a folder that exists.
  std::string prepared(const std::string& to, ConvertOptions& how) const {
    const fs::path folder = fs::path(to).parent_path();
    if (!many_.options.dry_run) {
      make_at_root(folder);
    } else if (at_root(session_, [&] { return is_there(folder) ? 1 : 0; }) == 0) {
      how.write.overwrite = true;
      return (nearest_folder(folder) / fs::path(to).filename()).string();
    }
    require_target(session_, to, how.write.overwrite);
    return to;
  }

  // By the log, or by inspecting it: an incomplete file is no reason to skip.
  bool is_done(const std::string& to) const {
    if (log_.has(to)) return true;
    std::error_code failure;
    if (!fs::exists(to, failure)) return false;
    try {
      const Catalog catalog = inspect(to, {}, many_.options.limits);
      return catalog.complete && catalog.first_error() == nullptr;
    } catch (const Error&) {
      return false;
    }
  }

  static bool is_younger(const std::string& from, const std::string& to) {
    std::error_code failure;
    const auto source = fs::last_write_time(from, failure);
    if (failure) return false;
    const auto target = fs::last_write_time(to, failure);
    return !failure && source > target;
  }

  void tell_other(const ensemble::VerifiedFile& file) {
    if (file.is_stranger()) return session_.remark(file.problem + "; skipped");
    // Files being written or left by a writer are not members of the ensemble.
    if (file.verdict != Verdict::unreadable) return session_.note(file.problem + "; skipped");
    ++failed_;
    code_ = worse(code_, exit_code_of(file.verdict));
    session_.complain(file.problem);
  }

  void tell(const ConversionJob& job, const ConversionOutcome& outcome) {
    if (outcome.is_left) {
      ++left_;
    } else if (outcome.error) {
      ++failed_;
      code_ = worse(code_, cli::tell(session_, job.shown, *outcome.error));
    } else if (outcome.is_skipped) {
      ++skipped_;
      session_.note(fmt::format("{}: already exists, skipped{}", job.to,
                                outcome.is_stale ? "; its source is newer; --overwrite converts it again" : ""));
    } else if (outcome.has_streams) {
      tell_streams(job);
    } else {
      ++converted_;
      bytes_ += outcome.report->bytes;
      tell_conversion(session_, *outcome.report, job.shown, job.to, many_.options.dry_run);
      if (!many_.options.dry_run) note_done(job, *outcome.report);
    }
  }

  void note_done(const ConversionJob& job, const Report& report) {
    try {
      at_root(session_, [&] {
        log_.add(job.to, job.shown, report);
        return fine;
      });
    } catch (const Error& error) {
      code_ = worse(code_, cli::tell(session_, error.facts().path, error));
    }
  }

  void tell_streams(const ConversionJob& job) {
    try {
      if (!many_.rewrite) {
        throw Error(Code::unsupported, job.shown + ": a multifile has no lattice to select from", {.path = job.shown});
      }
      if (!many_.options.dry_run) make_at_root(fs::path(job.to).parent_path());
      code_ = worse(code_, many_.rewrite(session_, job.from, job.to));
      ++converted_;
    } catch (const Error& error) {
      ++failed_;
      code_ = worse(code_, cli::tell(session_, job.shown, error));
    }
  }

  // Each file was checked as if it were the only one.
  void require_space() {
    std::error_code failure;
    const fs::path folder = nearest_folder(many_.folder);
    const fs::space_info space = fs::space(folder, failure);
    if (failure || bytes_ <= space.available) return;
    const Error error(Code::no_space,
                      fmt::format("{}: all files together need {}, and {} are free", folder.string(),
                                  base::human_bytes(bytes_), base::human_bytes(space.available)),
                      {.path = folder.string()});
    code_ = worse(code_, cli::tell(session_, folder.string(), error));
  }

  void tell_summary(const ConversionPlan& plan) {
    const auto strangers = static_cast<std::uint64_t>(
        std::ranges::count_if(plan.others, [](const ensemble::VerifiedFile& file) { return file.is_stranger(); }));
    if (session_.json) {
      base::JsonWriter json;
      json.begin_object().key("summary").begin_object().member("folder", many_.folder);
      json.member("converted", converted_).member("skipped", skipped_).member("failed", failed_);
      json.member("foreign", strangers).member("bytes", bytes_).member("dry_run", many_.options.dry_run);
      session_.out.line(json.end_object().end_object().take());
    } else if (!session_.quiet || failed_ > 0) {
      session_.out.line(
          fmt::format("{}: {} {}{}, {} failed{}", many_.folder, count(converted_, "file"),
                      many_.options.dry_run ? "would be written" : "written",
                      skipped_ > 0 ? fmt::format(", {} skipped", skipped_) : "", failed_,
                      strangers > 0 ? fmt::format("; {} of other programs skipped (-v lists them)", strangers) : ""));
    }
  }

  Session& session_;
  const ManyConversions& many_;
  ConvertLog log_;
  int threads_ = 0;
  int code_ = fine;
  std::uint64_t converted_ = 0, skipped_ = 0, failed_ = 0, left_ = 0, bytes_ = 0;
  std::atomic<bool> is_full_ = false;
};

std::string text_of(const Report& report, const std::string& from, const std::string& to, bool dry_run) {
  const std::string what = fmt::format("{} {}", to_string(report.extents), describe(report.spec));
  if (dry_run) return fmt::format("{}: would be written from {} ({}); nothing was written", to, from, what);
  const std::string storage = report.storage.summary();
  return fmt::format("{}: written from {}: {}, {}, {} precision, {}, {}{}", report.path, from, report.format, what,
                     name(report.spec.precision), base::human_bytes(report.bytes), checksum_text(report),
                     storage.empty() ? "" : "; lies " + storage);
}

}  // namespace

int convert_many(Session& session, const ManyConversions& many) { return Converter(session, many).run(); }

void tell_conversion(Session& session, const Report& report, const std::string& from, const std::string& to,
                     bool dry_run) {
  if (session.json) {
    session.out.object(report, "source", from, "dry_run", dry_run);
  } else if (!session.quiet) {
    session.out.line(text_of(report, from, to, dry_run));
  }
  for (const std::string& warning : report.warnings) session.complain("warning: " + warning);
  if (!dry_run) session.remark(report.summary());
}

std::string without_suffix(const std::string& whole) {
  const std::string name = without_packing(whole);
  std::size_t longest = 0;
  for (const FormatInfo& known : formats()) {
    for (const std::string_view suffix : known.suffixes) {
      if (name.size() > suffix.size() && name.ends_with(suffix)) longest = std::max(longest, suffix.size());
    }
  }
  return name.substr(0, name.size() - longest);
}

}  // namespace lq::cli
