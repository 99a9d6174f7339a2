// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::copy(): copies one file at a time, and renames files that belong together.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/staging.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "io/journal.hpp"
#include "io/replacement.hpp"
#include "options/agreed.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/staging/file_copy.hpp"
#include "sets/staging/sources.hpp"
#include "storage/forwarding.hpp"

namespace lq {

namespace sets {
namespace {

// A file under the name of another one.
class NamedFile final : public storage::ForwardingFile {
 public:
  NamedFile(std::unique_ptr<storage::File> file, std::string path)
      : ForwardingFile(std::move(file)), path_(std::move(path)) {}
  const std::string& path() const noexcept override { return path_; }

 private:
  const std::string path_;
};

// A finished copy that has no name yet, under the name of its source: findings name the source, which is not read
// again.
class UnnamedCopy final : public storage::ForwardingTransport {
 public:
  UnnamedCopy(storage::Transport& place, const Pair& pair)
      : ForwardingTransport(place), from_(pair.from), copy_(unfinished_name(pair.to)) {}

  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    return std::make_unique<NamedFile>(inner().open_read(stored(path)), path);
  }
  storage::PathKind kind(const std::string& path) override { return inner().kind(stored(path)); }
  storage::Identity identity(const std::string& path) override { return inner().identity(stored(path)); }
  storage::StorageTraits unit(const std::string& path) override { return inner().unit(stored(path)); }

 private:
  const std::string& stored(const std::string& path) const noexcept { return path == from_ ? copy_ : path; }

  const std::string from_, copy_;
};

class Copying {
 public:
  Copying(const Communicator& communicator, const CopyOptions& options)
      : communicator_(communicator), comm_(communicator.engine()), options_(options) {}

  CopyReport run(const std::vector<std::string>& sources, const std::string& target) {
    const base::Stopwatch watch;
    CopyPlan plan;
    const auto make_plan = [&] {
      plan = plan_copy(sources, target, usable_site_machine().machine, options_);
      for (const Together& together : plan.sets) {
        for (const Pair& pair : together) total_ += storage::resolve(pair.from).identity(pair.from).bytes;
      }
      if (!options_.dry_run) make_folders(plan.folders);
    };
    comm::share_from_root(comm_, make_plan, plan.sets);
    report_.findings = std::move(plan.findings);
    for (const Together& together : plan.sets) copy_set(together);
    comm::agree_at_root(comm_, [&] {
      for (const Link& link : plan.links) copy_link(link);
      if (options_.sync != Sync::full || options_.dry_run) return;
      for (const std::string& folder : plan.folders) storage::resolve(folder).sync_directory(folder);
    });
    report_.seconds = comm::max_over_ranks(comm_, watch.seconds());
    comm::share_from_root(
        comm_, [] {}, report_.files, report_.bytes, report_.moved_bytes, report_.present_files);
    return std::move(report_);
  }

 private:
  static void make_folders(const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) {
      std::error_code failure;
      std::filesystem::create_directories(folder, failure);
      if (!failure) continue;
      if (failure == std::errc::file_exists || failure == std::errc::not_a_directory) {
        throw Error(Code::invalid_argument,
                    fmt::format("{}: cannot create this folder: there is a file of this name, or of the name "
                                "of a folder above it; choose another destination",
                                folder),
                    {.path = folder, .expected = "a folder, or no file", .found = "a file"});
      }
      throw base::errno_error(folder, "create the folder", failure.value());
    }
  }

  // At the root. Created under another name first: the file to be replaced exists until then.
  void copy_link(const Link& link) {
    report_.files.push_back(link.to);
    if (options_.dry_run) return;
    const std::string unfinished = unfinished_name(link.to);
    std::error_code failure;
    std::filesystem::remove(unfinished, failure);
    std::filesystem::create_symlink(link.target, unfinished, failure);
    if (failure) throw base::errno_error(link.to, "create the link", failure.value());
    std::filesystem::rename(unfinished, link.to, failure);
    if (failure) throw base::errno_error(link.to, "create the link", failure.value());
    if (std::filesystem::exists(link.to, failure) || !std::filesystem::exists(link.from, failure)) return;
    report_.findings.push_back(
        {.severity = Severity::warning,
         .rule = "copy-link",
         .message = fmt::format("{}: this link leads to {}, which does not exist; the copied link "
                                "leads to an existing file",
                                link.to, link.target)});
  }

  void copy_set(const Together& together) {
    // Leftovers of an interrupted copy may be among the sources.
    comm::agree_at_root(comm_, [&] {
      const std::string& first = together.front().to;
      if (together.size() > 1 && !options_.dry_run) {
        io::settle_replacement(storage::resolve(first), first, options_.sync);
      }
    });
    std::vector<std::unique_ptr<FileCopy>> files;
    std::vector<bool> is_new;
    const Catalog first = contents_of(together.front().from);
    std::vector<std::unique_ptr<const Catalog>> others;  // of files that it does not describe
    bool all_compared = true, is_damaged = false;
    for (const Pair& pair : together) {
      const bool is_described = &pair == &together.front() || std::ranges::count(first.files, pair.from) > 0;
      Catalog own = is_described ? Catalog{} : contents_of(pair.from);
      comm::agree_alike(comm_, [&] {
        if (!is_described) others.push_back(std::make_unique<const Catalog>(std::move(own)));
        files.push_back(std::make_unique<FileCopy>(comm_, pair, options_, moved_,
                                                   CopyContext{.source = storage::resolve(pair.from),
                                                               .target = storage::resolve(pair.to),
                                                               .catalog = is_described ? first : *others.back()}));
        is_new.push_back(false);
      });
      is_new.back() = files.back()->look();
      if (!is_new.back() || options_.dry_run) continue;
      files.back()->move();
      all_compared = all_compared && files.back()->has_compared_sums();
      is_damaged = is_damaged || files.back()->has_damaged_source();
    }
    if (!options_.dry_run) {
      if (together.size() > 1) require_one_version(together, files);
      if (!is_damaged) tell_of_damage(together, first, all_compared, std::ranges::count(is_new, true) > 0);
      give_names(together, is_new);
    }
    comm::agree_at_root(comm_, [&] { report(together, files, is_new); });
  }

  Catalog contents_of(const std::string& path) const {
    if (options_.verify == Verify::none || options_.dry_run) return {};
    return sets::contents_of(storage::resolve(path), path, communicator_);
  }

  // The copy equals its source. The user should know now that the source is damaged.
  void tell_of_damage(const Together& together, const Catalog& catalog, bool all_compared, bool is_new) {
    const bool looks_again = options_.verify == Verify::read_back;
    if (options_.verify == Verify::none || !(is_new || looks_again)) return;
    const Fields fields = all_compared && is_new && !looks_again ? Fields::are_compared : Fields::are_not;
    const Pair& first = together.front();
    storage::Transport &source = storage::resolve(first.from), &target = storage::resolve(first.to);
    // What is not in a file system, such as a URL, is read once.
    std::optional<UnnamedCopy> copy;
    comm::agree_alike(comm_, [&] {
      if (is_new && together.size() == 1 && &source != &target) copy.emplace(target, first);
    });
    storage::Transport& place = copy ? *copy : source;
    const std::vector<Finding> damage = damage_of(place, first.from, catalog, fields, communicator_);
    comm::agree_at_root(comm_, [&] { report_.findings.insert(report_.findings.end(), damage.begin(), damage.end()); });
  }

  // The files were opened one at a time; another program may have replaced some of them in between.
  void require_one_version(const Together& together, const std::vector<std::unique_ptr<FileCopy>>& files) {
    comm::agree_at_root(comm_, [&] {
      const std::string& first = together.front().from;
      io::require_no_replacement(storage::resolve(first), first);
      for (const auto& file : files) file->require_same_source();
    });
  }

  // The first of the files that belong together is last, so that a set that can be opened is complete.
  void give_names(const Together& together, const std::vector<bool>& is_new) {
    comm::agree_at_root(comm_, [&] {
      if (std::ranges::count(is_new, true) == 0) return;
      const std::string& first = together.front().to;
      storage::Transport& place = storage::resolve(first);
      const auto generation = generation_at(place, is_new.front() ? unfinished_name(first) : first);
      std::vector<NewName> names;
      for (std::size_t i = together.size(); i-- > 0;) {
        const std::string& name = together[i].to;
        names.push_back({is_new[i] ? unfinished_name(name) : name, name});
        if (is_new[i]) io::settle_journal(place, name, options_.sync);
        if (!is_new[i] || !generation || together.size() == 1) continue;
        // Where readers look for it once one of them is renamed.
        names.back().part = part_name(name, *generation);
        place.rename(unfinished_name(name), names.back().part);
      }
      const bool has_fields = together.back().to == fields_name(first);
      const auto files = static_cast<std::int32_t>(together.size()) - (has_fields ? 1 : 0);
      publish_set(place, first, names,
                  {.files = files,
                   .has_fields = has_fields,
                   .overwrite = options_.overwrite,
                   .older_files = files_of(place, first),
                   .syncs = options_.sync == Sync::full,
                   .has_generation = generation.has_value()});
    });
  }

  void report(const Together& together, const std::vector<std::unique_ptr<FileCopy>>& files,
              const std::vector<bool>& is_new) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const FileCopy& file = *files[i];
      report_.findings.insert(report_.findings.end(), file.findings().begin(), file.findings().end());
      if (is_new[i]) {
        report_.files.push_back(together[i].to);
        report_.bytes += file.bytes();
        report_.moved_bytes += file.moved_bytes();
      } else {
        ++report_.present_files;
        moved_(file.bytes());
      }
      if (!options_.dry_run) files[i]->forget();
    }
  }

  const Communicator& communicator_;
  comm::Comm& comm_;
  const CopyOptions& options_;
  CopyReport report_;
  std::uint64_t total_ = 0, done_ = 0;  // at the root
  const std::function<void(std::uint64_t)> moved_ = [this](std::uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && communicator_.is_root()) options_.progress(done_, total_);
  };
};

}  // namespace
}  // namespace sets

CopyReport copy(const std::vector<std::string>& sources, const std::string& target, const Communicator& communicator,
                const CopyOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] {
    std::vector<comm::StatedArgument> all = options::stated("CopyOptions", options);
    std::string names;
    for (const std::string& source : sources) names += source + '\n';
    all.push_back({"sources", names});
    all.push_back({"target", target});
    return all;
  });
  comm::agree_alike(comm, [&] {
    if (options.block_bytes == 0) throw Error(Code::invalid_argument, "block_bytes is 0, expected at least 1");
  });
  return sets::Copying(communicator, options).run(sources, target);
}

}  // namespace lq
