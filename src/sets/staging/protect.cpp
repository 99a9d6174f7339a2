// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::protect(): which files have a sidecar together, each of them examined, and the windows of the sidecar dealt out
// over ranks and threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
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
#include "base/file_error.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "comm/wire.hpp"
#include "io/catalog_codec.hpp"
#include "io/new_file.hpp"
#include "io/verdict.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"
#include "protection/encode.hpp"
#include "protection/sidecar.hpp"
#include "sets/checkpoint/protected.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/staging/sources.hpp"
#include "storage/subfiles.hpp"

namespace lq {
namespace sets {
namespace {

namespace fs = std::filesystem;

// "3%", "0.03"
double ratio_of(const std::string& asked) {
  const std::string parity = asked.empty() ? ProtectOptions().parity : asked;
  const bool is_percent = parity.ends_with('%');
  const auto number = base::parse_double(std::string_view(parity).substr(0, parity.size() - (is_percent ? 1 : 0)));
  const double ratio = number ? *number / (is_percent ? 100 : 1) : 0;
  if (ratio >= 0.01 && ratio <= 1) return ratio;
  throw Error(Code::invalid_argument,
              fmt::format("parity is \"{}\", expected \"1%\" to \"100%\" of the size of the files, such as \"3%\"",
                          base::printable(parity)),
              {.expected = "1% to 100%", .found = parity});
}

// Files that get one sidecar.
struct Job {
  std::string sidecar;
  std::vector<std::string> paths = {};
  bool is_set = false;
};

// Of a file that describes a set of them; else none.
std::vector<std::string> subfiles_of(const std::string& path) {
  std::vector<std::string> paths;
  if (const auto set = storage::set_in(*storage::resolve(path).open_read(path), path)) {
    for (const PartitionedFile::Subfile& subfile : set->files) paths.push_back(subfile.path);
  }
  return paths;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// What in a folder is not there for good, or no data.
bool is_left_out(const std::string& name) {
  return name.starts_with('.') || protection::is_sidecar(name) || is_left_beside(name) ||
         base::parse_temporary_name(name) || name.starts_with("lq-catalogue.db");
}

// Regular files, and the folders below, in the order of their names.
struct Listed {
  std::vector<std::string> files, folders;
};

Listed list_folder(const std::string& folder) {
  std::vector<std::string> names;
  if (const int failure = base::names_in(folder, names); failure != 0) {
    throw base::file_error(Code::no_permission, folder, "the folder cannot be read: {}", std::strerror(failure));
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
  const std::string sidecar = folder_of(files.front()) + std::string(protection::folder_sidecar);
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
      throw base::file_error(Code::not_found, paths.front(), "there are no files to protect in this folder");
    }
    std::set<std::string> sidecars;
    for (const Job& job : jobs_) {
      if (sidecars.insert(job.sidecar).second) continue;
      throw base::file_error(Code::invalid_argument, job.sidecar,
                             "two of the given files would have this sidecar; name each once");
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
          throw base::file_error(Code::invalid_argument, path,
                                 "a folder has one sidecar for its files anyway; name files to have them together");
        }
        return add_folder(path);
      case storage::PathKind::absent:
      case storage::PathKind::dangling_link:
        throw base::file_error(Code::not_found, path, "the file does not exist; check the name");
      case storage::PathKind::other:
        break;
    }
    throw base::file_error(Code::invalid_argument, path,
                           "cannot be protected: it is not a regular file (a pipe, socket or device)");
  }

  void add_file(const std::string& path) {
    if (protection::is_sidecar(path)) {
      throw base::file_error(Code::invalid_argument, path, "this is a sidecar; name the file that it protects");
    }
    // Next to which a sidecar could be.
    if (storage::resolve(path).kind(base::directory_of(path)) != storage::PathKind::directory) {
      throw base::file_error(Code::unsupported, path,
                             "only files of the file system can be protected; copy it there first");
    }
    std::vector<std::string> files = files_with(path);
    for (std::string& subfile : subfiles_of(path)) files.push_back(std::move(subfile));
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
      if (folder_of(path) == folder_of(together_.front())) continue;
      throw base::file_error(Code::invalid_argument, path,
                             "files that have a sidecar together lie in one folder; {} is in another",
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

// The files of a job for one thread: every byte is read twice and compared, for nothing else proves what parity is made
// of. Of many files a few are open at a time.
class TwiceReadFiles {
 public:
  explicit TwiceReadFiles(const std::vector<std::string>& paths) : paths_(paths) {}
  base::ByteSource& operator()(std::size_t file) {
    if (const auto found = open_.find(file); found != open_.end()) return *found->second;
    constexpr std::size_t most_open = 70;
    if (open_.size() >= most_open) open_.clear();
    const std::string& path = paths_[file];
    auto opened =
        std::make_unique<base::ReadTwice>(std::shared_ptr<base::ByteSource>(storage::resolve(path).open_read(path)));
    return *(open_[file] = std::move(opened));
  }

 private:
  const std::vector<std::string>& paths_;
  std::map<std::size_t, std::unique_ptr<base::ByteSource>> open_;
};

class Protecting {
 public:
  Protecting(const Communicator& communicator, const ProtectOptions& options)
      : communicator_(communicator), comm_(communicator.engine()), options_(options) {}

  ProtectReport run(const std::vector<std::string>& paths) {
    const base::Stopwatch watch;
    ratio_ = comm::agree_alike(comm_, [&] { return ratio_of(options_.parity); });
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
    std::set<std::string> is_answered_for;
    for (const std::string& path : job.paths) {
      const bool is_part = is_answered_for.contains(path);
      sums.push_back(is_part ? std::vector<protection::OwnSum>{} : examined(path, is_answered_for));
    }
    const comm::FromRoot bytes = comm::bytes_from_root(comm_, [&] {
      std::vector<std::byte> made = encode_head(planned(job, before, sums));
      if (protection::decode_head(made)) return made;
      throw base::file_error(Code::unsupported, job.sidecar,
                             "these files cannot have one sidecar: one of them lies outside its folder, is named with "
                             "`.` or `..`, or there are too many");
    });
    const auto head = comm::agree_alike(comm_, [&] { return protection::decode_head(bytes.bytes()).value(); });
    std::vector<std::string> paths;  // in its order
    comm::agree_alike(comm_, [&] {
      for (const protection::ProtectedPart& part : head.files) paths.push_back(folder_of(job.sidecar) + part.name);
    });
    write_sidecar(job, head, paths, [&] { require_unchanged(job, before); });
    comm::agree_alike(comm_, [&] { add_to_report(job, head, paths); });
  }

  // Its own sums are what all depends on: nothing is made of a file that contradicts them.
  std::vector<protection::OwnSum> examined(const std::string& path, std::set<std::string>& is_answered_for) {
    std::optional<Verification> found;
    std::optional<Error> failure;
    VerifyOptions how{.physics = Measure::never, .threads = options_.threads};
    if (options_.progress) how.progress = [this](std::uint64_t, std::uint64_t) { tell(0); };
    try {
      found = verify_own(storage::resolve(path), path, communicator_, how);
    } catch (const Error& error) {
      failure = error;
    }
    std::vector<protection::OwnSum> sums;
    comm::agree_alike(comm_, [&] {
      if (failure && failure->code() != Code::unknown_format) throw *failure;
      if (found && found->verdict >= Verdict::damaged) throw refused(*found);
      if (!found || found->verdict != Verdict::sound) tell_unproven(path, found);
    });
    if (!found) return sums;
    const Catalog catalog = contents_of(storage::resolve(path), path, communicator_);
    comm::agree(comm_, [&] {
      for (const std::string& file : catalog.files) is_answered_for.insert(file);
      for (const std::string& file : subfiles_of(path)) is_answered_for.insert(file);
      sums = own_sums(catalog);
    });
    return sums;
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
                                ? "nothing disagrees, but not all of it has an exact checksum"
                                : "its data look wrong, although no checksum says so";
    report_.findings.push_back(
        {.severity = found && found->verdict == Verdict::consistent ? Severity::note : Severity::warning,
         .rule = "protect-unproven",
         .message = fmt::format("{}: protected as it is now: {}", path, why)});
  }

  // At the root.
  protection::Head planned(const Job& job, const std::vector<storage::Identity>& before,
                           const std::vector<std::vector<protection::OwnSum>>& sums) const {
    std::vector<protection::ProtectedPart> parts;
    const std::size_t folder = folder_of(job.sidecar).size();
    for (std::size_t i = 0; i < job.paths.size(); ++i) {
      if (!job.paths[i].starts_with(folder_of(job.sidecar))) {
        throw base::file_error(Code::unsupported, job.paths[i],
                               "it lies outside the folder of {}, so that one sidecar cannot protect both",
                               job.sidecar);
      }
      parts.push_back({.name = job.paths[i].substr(folder),
                       .bytes = before[i].bytes,
                       .modified = before[i].modified,
                       .sums = sums[i]});
    }
    const int asked = options_.lost_files < 0 ? 2 : options_.lost_files;
    const auto lost = static_cast<std::uint32_t>(
        job.is_set ? std::min<std::uint64_t>(static_cast<std::uint64_t>(asked), parts.size()) : 0);
    return protection::plan(std::move(parts), ratio_, lost);
  }

  // At the root.
  void require_unchanged(const Job& job, const std::vector<storage::Identity>& before) const {
    for (std::size_t i = 0; i < job.paths.size(); ++i) {
      const std::string& path = job.paths[i];
      const storage::Identity now = storage::resolve(path).open_read(path)->identity();
      if (storage::is_same_file(before[i], now) && storage::is_unchanged(before[i], now)) continue;
      throw base::file_error(
          Code::io, path,
          "the file changed while it was being protected. Stop the program that writes to it, then repeat the command");
    }
  }

  template <class Check>
  void write_sidecar(const Job& job, const protection::Head& head, const std::vector<std::string>& paths,
                     const Check& check) {
    io::NewFile file(storage::resolve(job.sidecar), communicator_, job.sidecar);
    comm::agree_alike(comm_, [&] { file.keep_private(paths.front()); });
    file.create(options_.overwrite, head.sidecar_bytes());
    const storage::Owners owners = file.owners();
    const std::uint64_t writers = owners.writers(comm_.size(), 1);
    const auto rank = static_cast<std::uint64_t>(comm_.rank());
    file.open_for_writing(rank < writers);
    const int threads = comm::thread_count(comm_, options_.threads, total_);
    comm::agree(comm_, [&] {
      if (rank < writers) write_windows(file, head, paths, lattice::share_of(head.windows, writers, rank), threads);
    });
    file.write([&] {
      check();
      std::vector<format::Literal> literals;
      literals.push_back({0, 0, encode_head(head)});
      literals.push_back({0, head.second_head_at(), encode_head(head)});
      literals.push_back({0, head.second_head_at() + head.head_bytes(), encode_end(head)});
      return literals;
    });
    file.finish(owners.sync(options_.sync));
    // It may take the place of one that is good.
    comm::agree_at_root(comm_, [&] {
      const protection::Sidecar written(storage::resolve(job.sidecar), file.temporary_path());
      if (written.damage(comm::or_usable_cores(options_.threads)).empty()) return;
      throw base::file_error(
          Code::checksum_mismatch, job.sidecar,
          "the sidecar was read back otherwise than it was written, and is not kept; have the storage examined");
    });
    file.publish(options_.sync);
  }

  void write_windows(const io::NewFile& file, const protection::Head& head, const std::vector<std::string>& paths,
                     const lattice::Share& share, int threads) {
    comm::Team team(
        static_cast<int>(std::clamp<std::uint64_t>(share.end - share.begin, 1, static_cast<std::uint64_t>(threads))));
    std::vector<TwiceReadFiles> files;
    for (int thread = 0; thread < team.size(); ++thread) files.emplace_back(paths);
    std::vector<std::unique_ptr<protection::WindowEncoder>> encoders(files.size());
    std::atomic<std::uint64_t> done{0};
    comm::parallel_for(team, share.end - share.begin, [&](int thread, std::uint64_t i) {
      const auto number = static_cast<std::size_t>(thread);
      if (!encoders[number]) {
        encoders[number] = std::make_unique<protection::WindowEncoder>(
            head, [&open = files[number]](std::size_t one) -> base::ByteSource& { return open(one); });
      }
      protection::WindowEncoder& encoder = *encoders[number];
      const std::uint64_t window = share.begin + i;
      encoder.encode(window);
      const std::vector<std::byte> page = encode_page(encoder.page(), window);
      file.named([&] {
        file.file().write_at(head.page_at(window, 0), page);
        file.file().write_at(head.parity_at(window, 0, 0), encoder.parity());
        file.file().write_at(head.page_at(window, 1), page);
      });
      const std::uint64_t now = done += encoder.bytes();
      if (thread == 0) tell(now);
    });
    done_ += done;
  }

  void tell(std::uint64_t bytes) {
    if (options_.progress && communicator_.is_root()) options_.progress(std::min(total_, done_ + bytes), total_);
  }

  void add_to_report(const Job& job, const protection::Head& head, const std::vector<std::string>& paths) {
    report_.sidecars.push_back(job.sidecar);
    report_.sidecar_bytes += head.sidecar_bytes();
    report_.stretch_bytes = std::min(report_.stretch_bytes, head.stretch_bytes());
    report_.window_bytes = std::min(report_.window_bytes, head.window_bytes());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      report_.bytes += head.files[i].bytes;
      report_.files.push_back({.path = paths[i], .sidecar = job.sidecar, .bytes = head.files[i].bytes});
    }
  }

  const Communicator& communicator_;
  comm::Comm& comm_;
  const ProtectOptions& options_;
  ProtectReport report_;
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
      throw base::file_error(Code::not_found, path,
                             "the file does not exist, and no sidecar covers it; check the name");
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

  // All sidecars there, and the files that have none.
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
    const auto cover = protection::find_cover(path);
    if (!cover) return false;
    look(*cover->sidecar);
    add_judged(*cover, path);
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

  // A sidecar, once.
  void look(const protection::Sidecar& sidecar) {
    if (std::ranges::count(report_.sidecars, sidecar.path()) > 0) return;
    report_.sidecars.push_back(sidecar.path());
    report_.sidecar_bytes += sidecar.head().sidecar_bytes();
    report_.stretch_bytes = std::min(report_.stretch_bytes, sidecar.head().stretch_bytes());
    report_.window_bytes = std::min(report_.window_bytes, sidecar.head().window_bytes());
    for (Finding& finding : findings_of(sidecar, sidecar.damage(options_.threads))) {
      report_.ok = false;
      finding.severity = Severity::error;
      finding.code = Code::checksum_mismatch;
      report_.findings.push_back(std::move(finding));
    }
  }

  void add_judged(const protection::Cover& cover, const std::string& path) {
    if (!files_.insert(path).second) return;
    std::unique_ptr<storage::File> source;
    if (storage::resolve(path).kind(path) == storage::PathKind::file) source = storage::resolve(path).open_read(path);
    const JudgedFile judged =
        judge(cover, source.get(), own_of(cover, source.get(), path), path, options_.threads, options_.progress);
    report_.bytes += judged.file.bytes;
    report_.ok = report_.ok && judged.is_ok();
    for (Finding& finding : findings_of(judged)) {
      if (finding.severity == Severity::warning) finding.code = Code::checksum_mismatch;
      finding.severity = Severity::error;
      report_.findings.push_back(std::move(finding));
    }
    report_.files.push_back(judged.file);
  }

  // Asked only where something differs.
  OwnExamination own_of(const protection::Cover& cover, base::ByteSource* source, const std::string& path) const {
    if (source == nullptr) return {};
    if (protection::check_file(cover, source, options_.threads).is_intact(cover.part().bytes)) return {};
    std::optional<Verdict> verdict;
    try {
      verdict = verify_own(storage::resolve(path), path, {}, {.physics = Measure::never, .threads = options_.threads})
                    .verdict;
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
      if (error.code() != Code::unknown_format) verdict = io::verdict_of(error);
    }
    return own_examination(*source, verdict);
  }

  const ProtectOptions& options_;
  ProtectReport report_;
  std::set<std::string> files_;
};

// What the root found, on all ranks.
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
  comm::append(bytes, std::array{report.bytes, report.sidecar_bytes, report.stretch_bytes, report.window_bytes});
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
  const auto numbers = comm::take<std::array<std::uint64_t, 4>>(bytes);
  report.bytes = numbers[0];
  report.sidecar_bytes = numbers[1];
  report.stretch_bytes = numbers[2];
  report.window_bytes = numbers[3];
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
    std::vector<comm::Stated> all = options::stated("ProtectOptions", options);
    std::string names;
    for (const std::string& path : paths) names += path + '\n';
    all.push_back({"paths", names});
    return all;
  });
  return options.check ? sets::check_sidecars(paths, communicator, options)
                       : sets::Protecting(communicator, options).run(paths);
}

}  // namespace lq
