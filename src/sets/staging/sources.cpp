// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/sources.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "format/format.hpp"
#include "io/catalog_codec.hpp"
#include "io/journal.hpp"
#include "io/judgement.hpp"
#include "io/replacement.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "kernels/crc32.hpp"
#include "protection/layout.hpp"
#include "protection/sidecar.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/staging/packed.hpp"
#include "storage/subfiles.hpp"

namespace lq::sets {

namespace {

constexpr std::string_view magic = "LQCOPY01";

}  // namespace

std::vector<std::byte> encode_head(const Copied& copied) {
  std::vector<std::byte> bytes;
  for (const char c : magic) bytes.push_back(static_cast<std::byte>(c));
  base::append_le(bytes, copied.source.bytes);
  base::append_le(bytes, std::bit_cast<std::uint64_t>(copied.source.modified));
  base::append_le(bytes, copied.block_bytes);
  base::append_le(bytes, copied.source.start_crc);
  base::append_le(bytes, kernels::crc32(0, bytes));
  return bytes;
}

std::vector<std::byte> encode_blocks(const std::vector<CopiedBlock>& blocks) {
  std::vector<std::byte> bytes;
  for (const CopiedBlock& block : blocks) {
    const std::size_t begin = bytes.size();
    base::append_le(bytes, block.number);
    base::append_le(bytes, block.crc);
    base::append_le(bytes, kernels::crc32(0, base::Bytes(bytes).subspan(begin)));
  }
  return bytes;
}

std::optional<Copied> decode_copied(base::Bytes bytes) {
  if (bytes.size() < copied_head_bytes || base::as_text(bytes.first(magic.size())) != magic) return {};
  if (!kernels::ends_in_crc32(bytes.first(copied_head_bytes))) return {};
  Copied copied;
  copied.source.bytes = base::load_le<std::uint64_t>(bytes.data() + 8);
  copied.source.modified = std::bit_cast<std::int64_t>(base::load_le<std::uint64_t>(bytes.data() + 16));
  copied.block_bytes = base::load_le<std::uint64_t>(bytes.data() + 24);
  copied.source.start_crc = base::load_le<std::uint32_t>(bytes.data() + 32);
  if (copied.block_bytes == 0) return {};
  const std::uint64_t count = blocks_of(copied.source.bytes, copied.block_bytes);
  for (base::Bytes rest = bytes.subspan(copied_head_bytes); rest.size() >= copied_block_bytes;
       rest = rest.subspan(copied_block_bytes)) {
    const base::Bytes block = rest.first(copied_block_bytes);
    const auto number = base::load_le<std::uint64_t>(block.data());
    if (!kernels::ends_in_crc32(block) || number >= count) break;
    copied.blocks.push_back({number, base::load_le<std::uint32_t>(block.data() + 8)});
  }
  return copied;
}

namespace {

namespace fs = std::filesystem;

std::string last_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

// The length of the common beginning of all names.
std::size_t common_beginning(const std::vector<std::string>& names) {
  std::size_t common = names.front().size();
  for (const std::string& name : names) {
    common = std::min(common,
                      static_cast<std::size_t>(std::ranges::mismatch(names.front(), name).in1 - names.front().begin()));
  }
  return common;
}

class Finder {
 public:
  Finder(const CopyOptions& options, CopyPlan& plan) : options_(options), plan_(plan) {}

  void add(const std::string& from, const std::string& to) {
    switch (storage::resolve(from).kind(from)) {
      case storage::PathKind::file:
        return add_file(from, to);
      case storage::PathKind::directory:
        return add_folder(from, to);
      case storage::PathKind::absent:
      case storage::PathKind::dangling_link:
        base::fail(Code::not_found, from, "the file does not exist; check the name");
      case storage::PathKind::other:
        break;
    }
    base::fail(Code::invalid_argument, from, "cannot be copied: it is not a regular file (a pipe, socket or device)");
  }

  // The sidecar of a folder or of a set is copied with all of it, not with some of its files.
  void tell_sidecars_left_behind() {
    std::map<std::string, std::set<std::string>>
        of_folders;  // names of files that are copied without their own sidecar
    for (const std::string& path : taken_) {
      if (protection::is_sidecar(path) || taken_.contains(path + std::string(protection::parity_ending))) continue;
      of_folders[base::folder_before(path)].insert(path);
    }
    for (const auto& [folder, paths] : of_folders) {
      std::vector<std::string> names;
      base::names_in(base::directory_of(folder + "x"), names);
      for (const std::string& name : names) {
        if (name.ends_with(protection::set_ending) && !taken_.contains(folder + name)) tell_left(folder + name, paths);
      }
    }
  }

 private:
  void tell_left(const std::string& path, const std::set<std::string>& copied) {
    const auto is_told = [&](const Finding& finding) { return finding.message.starts_with(path + " is left out"); };
    if (std::ranges::any_of(plan_.findings, is_told)) return;
    std::vector<std::string> covered;
    try {
      const protection::Sidecar sidecar(storage::resolve(path), path);
      for (std::size_t i = 0; i < sidecar.head().files.size(); ++i) {
        if (copied.contains(sidecar.path_of(i))) covered.push_back(sidecar.path_of(i));
      }
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
    }
    if (covered.empty()) return;
    plan_.findings.push_back(
        {.severity = Severity::warning,
         .rule = "copy-parity",
         .message =
             fmt::format("{} is omitted: it protects {}{}, and needs the other files of the {}; protect the "
                         "copies (`lq protect`)",
                         path, covered.front(),
                         covered.size() > 1 ? fmt::format(" and {} more of these files", covered.size() - 1) : "",
                         path.ends_with(protection::folder_sidecar) ? "folder" : "set")});
  }

  void add_file(const std::string& from, const std::string& to) {
    if (taken_.contains(from) || add_set_of_subfiles(from, to)) return;
    const std::vector<std::string> files = files_with(from);
    // The common beginning of their names is replaced by the new name without this file's own ending.
    const std::size_t common = common_beginning(files);
    const std::string rest = from.substr(common);
    if (!to.ends_with(rest)) {
      base::fail(Code::invalid_argument, to,
                 "{} is one of {} files that belong together and have similar names; give the copy a name "
                 "that also ends in \"{}\", or a folder",
                 from, files.size(), rest);
    }
    Together together;
    for (const std::string& file : files) {
      together.push_back({file, to.substr(0, to.size() - rest.size()) + file.substr(common)});
      taken_.insert(file);
    }
    for (const Pair& pair : together) require_other(pair);
    const std::string new_name = together.front().to;
    plan_.sets.push_back(std::move(together));
    add_sidecar(files.front(), new_name, files.size() > 1);
  }

  // An error if it was named; the rest of a folder is copied.
  void tell_elsewhere(const std::string& from, const std::string& subfile) {
    const std::string why = fmt::format(
        "{}: its description names subfiles by paths that lead elsewhere, such as {}, and a copy of it does the same; "
        "write a set or a file in another place by `lq repartition`",
        from, subfile);
    if (depth_ == 0) throw Error(Code::invalid_argument, why, {.path = from});
    plan_.findings.push_back({.severity = Severity::warning, .rule = "copy-set-elsewhere", .message = why});
  }

  // The description names its subfiles, so that these keep their names, and their places relative to it.
  bool add_set_of_subfiles(const std::string& from, const std::string& to) {
    const auto file = storage::resolve(from).open_read(from);
    const auto set = storage::set_in(*file, from);
    if (!set) return false;
    std::vector<std::byte> bytes(static_cast<std::size_t>(file->size()));
    bytes.resize(file->read_at(0, bytes));
    Together together{{from, to}};
    for (const PartitionedFile::Subfile& stored : storage::decode_description(bytes, from).files) {
      if (stored.path.starts_with('/') || stored.path.find("../") != std::string::npos) {
        tell_elsewhere(from, stored.path);
        return false;
      }
      const Pair pair{storage::subfile_path(from, stored.path), storage::subfile_path(to, stored.path)};
      if (!taken_.contains(pair.from)) together.push_back(pair);
    }
    for (const Pair& pair : together) {
      require_other(pair);
      taken_.insert(pair.from);
      const std::string folder = base::directory_of(pair.to);
      if (!std::ranges::count(plan_.folders, folder) && folder != base::directory_of(to))
        plan_.folders.push_back(folder);
    }
    plan_.sets.push_back(std::move(together));
    add_sidecar(from, to, true);
    return true;
  }

  // The sidecar of a file is copied with it; that of a folder with the folder.
  void add_sidecar(const std::string& from, const std::string& to, bool is_set) {
    const std::string_view ending = is_set ? protection::set_ending : protection::parity_ending;
    const Pair pair{from + std::string(ending), to + std::string(ending)};
    if (protection::is_sidecar(from) || taken_.contains(pair.from) || !is_there(pair.from)) return;
    if (is_set && last_name(from) != last_name(to)) {
      plan_.findings.push_back({.severity = Severity::warning,
                                .rule = "copy-parity",
                                .message = fmt::format("{} is omitted: it names the files that it protects, which have "
                                                       "other names now; protect the copies",
                                                       pair.from)});
      return;
    }
    require_other(pair);
    taken_.insert(pair.from);
    plan_.sets.push_back({pair});
  }

  // A name may be too long for its sidecar to exist.
  static bool is_there(const std::string& path) {
    try {
      return storage::resolve(path).kind(path) == storage::PathKind::file;
    } catch (const Error&) {
      return false;
    }
  }

  // Sorted by name, so that the order is always the same; files first, because descriptions name subfiles in folders.
  void add_folder(const std::string& from, const std::string& to) {
    if (!options_.recursive) {
      base::fail(Code::invalid_argument, from,
                 "this is a folder; copy it with all its contents (recursive), or name files");
    }
    plan_.folders.push_back(to);
    std::vector<std::string> names;
    if (const int failure = base::names_in(from, names); failure != 0) {
      base::fail(Code::no_permission, from, "cannot read the folder: {}", std::strerror(failure));
    }
    std::error_code failure;
    std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {  // clang 14 lacks that of ranges
      return !fs::is_directory(fs::symlink_status(fs::path(from) / name, failure));
    });
    ++depth_;
    for (const std::string& name : names) {
      const fs::directory_entry entry(fs::path(from) / name, failure);
      const std::string path = entry.path().string();
      if (is_leftover_name(name)) continue;
      if (entry.is_symlink(failure)) {
        add_link(path, to + "/" + name);
      } else if (entry.is_regular_file(failure) || entry.is_directory(failure)) {
        add(path, to + "/" + name);
      } else {
        plan_.findings.push_back({.severity = Severity::warning,
                                  .rule = "copy-left-out",
                                  .message = path + " is left out: it is neither a file nor a folder"});
      }
    }
    --depth_;
  }

  // Its target is not followed: it may be outside, or be copied next.
  void add_link(const std::string& from, const std::string& to) {
    std::error_code failure;
    const std::string target = fs::read_symlink(from, failure).string();
    if (failure) {
      base::fail(Code::io, from, "cannot read the link: {}", failure.message());
    }
    const bool is_there = fs::is_symlink(to, failure) && fs::read_symlink(to, failure).string() == target;
    if (is_there) return;
    if (fs::symlink_status(to, failure).type() != fs::file_type::not_found && !options_.overwrite) {
      base::fail(Code::exists, to,
                 "a file with the name of the link already exists; choose another folder, or "
                 "replace it with options.overwrite = true");
    }
    plan_.links.push_back({from, to, target});
  }

  static void require_other(const Pair& pair) {
    storage::Transport &one = storage::resolve(pair.from), &other = storage::resolve(pair.to);
    if (&one != &other || other.kind(pair.to) != storage::PathKind::file) return;
    if (!storage::is_same_file(one.identity(pair.from), other.identity(pair.to))) return;
    throw Error(Code::invalid_argument, fmt::format("{}: source and target are the same file ({})", pair.from, pair.to),
                {.path = pair.to});
  }

  const CopyOptions& options_;
  CopyPlan& plan_;
  std::set<std::string> taken_;  // files of sets that are in the plan already
  int depth_ = 0;                // folders above the file, of those that are copied
};

// The paths of a target: "NAME:REST" is below each folder that the profile calls NAME.
std::vector<std::string> targets_of(const std::string& target, const Machine& machine) {
  const std::size_t colon = target.find(':');
  if (colon == std::string::npos || target.substr(0, colon).find('/') != std::string::npos) return {target};
  const auto found = machine.targets.find(target.substr(0, colon));
  if (found == machine.targets.end()) {
    if (storage::resolve(target).kind(target) != storage::PathKind::absent) return {target};
    std::string known;
    for (const auto& [name, folders] : machine.targets) known += (known.empty() ? "" : ", ") + name;
    base::fail(Code::invalid_argument, target,
               "no target is called \"{}\"; the site profile defines {}. Write ./{} for a file of this name",
               target.substr(0, colon), known.empty() ? "none" : known, target);
  }
  const std::string rest = target.substr(colon + 1);
  std::vector<std::string> targets;
  for (const std::string& folder : found->second) targets.push_back(folder + "/" + rest);
  return targets;
}

}  // namespace

// Hidden, and with one suffix: file systems that place files by their names then place it on the copy's server.
std::string unfinished_name(const std::string& path) { return base::hidden_name(path, base::unfinished_copy_ending); }
std::string copied_name(const std::string& path) { return base::hidden_name(path, base::copied_ending); }

bool is_leftover_name(const std::string& path) {
  return path.ends_with(base::unfinished_copy_ending) || path.ends_with(base::copied_ending) ||
         path.ends_with(base::replacement_ending) || path.ends_with(io::journal_ending);
}

std::vector<std::string> files_with(const std::string& path) {
  std::vector<std::string> files{path};
  storage::Transport& transport = storage::resolve(path);
  io::require_no_journal(transport, path);  // its headers may be torn
  try {
    const auto file = transport.open_read(path);
    base::ReadTwice twice(*file);  // files overlooked here would not be copied
    base::CachedSource source(twice);
    const Catalog catalog = format::scan(source, {});
    if (!catalog.files.empty()) files = catalog.files;
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format && error.code() != Code::too_large) throw;
  }
  const std::string fields = fields_name(files.front());
  if (transport.kind(fields) == storage::PathKind::file && fields != path) files.push_back(fields);
  if (files.size() > 1) io::require_no_replacement(transport, files.front());
  return files;
}

CopyPlan plan_copy(const std::vector<std::string>& sources, const std::string& target, const Machine& machine,
                   const CopyOptions& options) {
  if (sources.empty()) throw Error(Code::invalid_argument, "nothing to copy: no sources were given");
  if (target.empty()) throw Error(Code::invalid_argument, "the target is empty: name a file or folder");
  CopyPlan plan;
  for (const std::string& place : targets_of(target, machine)) {
    const bool is_folder = storage::resolve(place).kind(place) == storage::PathKind::directory;
    const bool into = is_folder || place.back() == '/' || sources.size() > 1;
    if (into && !is_folder) plan.folders.push_back(place);
    Finder finder(options, plan);
    for (const std::string& source : sources) {
      const bool has_slash = place.back() == '/';
      finder.add(source, into ? place + (has_slash ? "" : "/") + last_name(source) : place);
    }
    finder.tell_sidecars_left_behind();
  }
  std::set<std::string> names;
  for (const Together& together : plan.sets) {
    for (const Pair& pair : together) {
      if (names.insert(pair.to).second) continue;
      base::fail(Code::invalid_argument, pair.to, "two sources would get this name; copy them one at a time");
    }
  }
  return plan;
}

Catalog contents_of(storage::Transport& place, const std::string& path, const Communicator& communicator) {
  Catalog catalog;
  io::broadcast(communicator.engine(), [&]() -> Catalog& {
    if (!communicator.is_root()) return catalog;
    try {
      const auto file = place.open_read(path);
      if (const auto set = storage::set_in(*file, path)) {  // which is examined as a whole
        catalog.files.push_back(path);
        for (const PartitionedFile::Subfile& subfile : set->files) catalog.files.push_back(subfile.path);
        return catalog;
      }
      base::ReadTwice twice(*file);
      base::CachedSource source(twice);
      catalog = format::scan(source, {});
      catalog.records.clear();
      catalog.findings.clear();
    } catch (const Error&) {
      // It is copied nevertheless.
    }
    return catalog;
  });
  return catalog;
}

bool are_proven(const Catalog& catalog) {
  if (catalog.format.empty() || format::format_named(catalog.format).info.contents == Contents::streams) return false;
  return std::ranges::all_of(catalog.fields, [](const FieldEntry& entry) {
    return io::has_exact_sum(entry) && !entry.plaquette && !entry.link_trace;
  });
}

namespace {

Verification examined(storage::Transport& place, const std::string& path, const Catalog& catalog, Fields fields,
                      const Communicator& communicator) {
  if (fields == Fields::are_compared && are_proven(catalog)) {
    return io::verify_structure(place, path, communicator, {});
  }
  return verify_file(place, path, communicator, {});
}

Finding damaged_source(Code code, const std::string& what) {
  return {.severity = Severity::error,
          .code = code,
          .rule = "copy-damaged-source",
          .message = what + ". The copy has the same bytes"};
}

std::vector<Finding> damage_in(const std::string& path, const Verification& found) {
  std::vector<Finding> damage;
  // The exit code is that of an examination.
  const Code code = found.verdict == Verdict::incomplete ? Code::truncated : Code::checksum_mismatch;
  for (const Finding& finding : found.findings) {
    if (finding.severity == Severity::error) damage.push_back(damaged_source(code, finding.message));
  }
  if (damage.empty() && !is_ok(found.verdict)) {
    damage.push_back(damaged_source(
        Code::checksum_mismatch, fmt::format("{}: this file is {}; `lq verify` shows why", path, name(found.verdict))));
  }
  return damage;
}

// Of a file of no format: of its contents, if it is compressed. A damaged stream is damage whatever it contains.
std::vector<Finding> damage_in_packed(const std::string& path) {
  try {
    const std::optional<Verification> contents = verify_contents(path, {});
    return contents ? damage_in(path, *contents) : std::vector<Finding>();
  } catch (const Error& error) {
    switch (error.code()) {
      case Code::malformed:
      case Code::truncated:
      case Code::checksum_mismatch:
        return {damaged_source(error.code(), error.what())};
      case Code::out_of_memory:
        throw;
      case Code::unknown_format:
      case Code::not_found:  // an archive, of which no member is named
        return {};
      default:
        return {{.severity = Severity::warning,
                 .rule = "copy-not-examined",
                 .message = fmt::format("{}: its contents were not examined: {}", path, error.what())}};
    }
  }
}

}  // namespace

std::vector<Finding> damage_of(storage::Transport& place, const std::string& path, const Catalog& catalog,
                               Fields fields, const Communicator& communicator) {
  std::vector<Finding> damage;
  std::optional<Verification> found;
  std::optional<Error> failure;
  try {
    found = examined(place, path, catalog, fields, communicator);
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    failure = error;
  }
  if (failure && failure->code() == Code::unknown_format) {
    comm::share_from_root(
        communicator.engine(), [&] { damage = damage_in_packed(path); }, damage);
    return damage;
  }
  comm::agree_alike(communicator.engine(), [&] {
    if (failure) {
      damage.push_back(damaged_source(failure->code(), failure->what()));
    } else {
      damage = damage_in(path, *found);
    }
  });
  return damage;
}

}  // namespace lq::sets
