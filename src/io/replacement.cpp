// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/replacement.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "format/format.hpp"
#include "io/new_file.hpp"
#include "kernels/crc32.hpp"
#include "storage/owners.hpp"

namespace lq::io {

namespace {

using storage::Identity;
using storage::PathKind;
using storage::Transport;
using Member = Replacement::Member;

constexpr std::string_view replacement_magic = "LQREPL01";
constexpr std::uint64_t longest_record = 256 * base::mebi;

// The number of digits, if nothing else follows; else 0.
std::size_t digits_behind(std::string_view text, std::size_t begin) {
  return text.find_first_not_of("0123456789", begin) == std::string_view::npos ? text.size() - begin : 0;
}

// Records store names relative to their folder, so that it may be moved.
std::string from_folder(const std::string& folder, const std::string& path) {
  if (path.starts_with(folder)) return path.substr(folder.size());
  return std::filesystem::path(path).lexically_relative(folder).string();
}

bool is_same(const std::optional<Identity>& one, const std::optional<Identity>& other) {
  if (!one || !other) return !one && !other;
  return is_same_across_nodes(*one, *other) && one->bytes == other->bytes && one->modified == other->modified;
}

std::optional<Identity> identity_of(Transport& transport, const std::string& path) {
  try {
    return transport.identity(path);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return {};
  }
}

bool has_name(Transport& transport, const Member& member) {
  return is_same(identity_of(transport, member.to), member.made);
}

// A file has one of its two names at any time, and may be renamed while they are checked.
bool is_in_force(Transport& transport, const Replacement& replacement) {
  return std::ranges::all_of(replacement.members, [&](const Member& member) {
    const std::optional<Identity> there = identity_of(transport, member.to);
    if (is_same(there, member.made)) return true;
    if (is_same(identity_of(transport, member.from), member.made)) return is_same(there, member.before);
    return has_name(transport, member);
  });
}

void put_text(std::vector<std::byte>& bytes, std::string_view text) {
  base::append_le(bytes, std::uint64_t{text.size()});
  const base::Bytes added = base::as_bytes(text);
  bytes.insert(bytes.end(), added.begin(), added.end());
}

void put_identity(std::vector<std::byte>& bytes, const Identity& identity) {
  base::append_le(bytes, identity.inode);
  base::append_le(bytes, std::bit_cast<std::uint64_t>(identity.created));
  base::append_le(bytes, identity.bytes);
  base::append_le(bytes, std::bit_cast<std::uint64_t>(identity.modified));
}

// The fields of a record with a valid sum. Zeros follow its end.
class Fields {
 public:
  explicit Fields(base::Bytes bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    if (bytes_.size() < sizeof(std::uint64_t)) {
      bytes_ = {};
      return 0;
    }
    const auto value = base::load_le<std::uint64_t>(bytes_.data());
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t said = number();
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(said, bytes_.size()));
    const std::string text(base::as_text(bytes_.first(length)));
    bytes_ = bytes_.subspan(length);
    return text;
  }
  Identity identity() {
    Identity identity;
    identity.inode = number();
    identity.created = std::bit_cast<std::int64_t>(number());
    identity.bytes = number();
    identity.modified = std::bit_cast<std::int64_t>(number());
    return identity;
  }
  bool is_at_end() const noexcept { return bytes_.empty(); }

 private:
  base::Bytes bytes_;
};

// A program that finds a record renames the files in it: only names that Limequat's writers use.
bool is_temporary_of(const std::string& from, const std::string& to) {
  if (from == base::hidden_name(to, base::unfinished_copy_ending)) return true;
  constexpr std::size_t digits = 8;
  const std::string number = from.substr(from.size() - std::min(digits, from.size()));
  return from == base::TemporaryName{to, number}.of(to);
}

// Nor anything outside the folder of the record.
bool leads_out(const std::string& path, const std::string& folder) {
  const std::filesystem::path within = path.substr(folder.size());
  return std::ranges::find(within, std::filesystem::path("..")) != within.end();
}

bool belongs_to(const std::string& record, const std::string& path) {
  const std::vector<std::string> records = replacement_paths(path);
  return std::ranges::find(records, record) != records.end();
}

std::vector<std::byte> read_record(Transport& transport, const std::string& record) {
  if (transport.kind(record) != PathKind::file) return {};
  try {
    const auto file = transport.open_read(record);
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(file->size(), longest_record)));
    bytes.resize(file->read_at(0, bytes));
    return bytes;
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return {};
  }
}

// The replacement that the record describes, if it is in force.
std::optional<Replacement> look_at(Transport& transport, const std::string& record) {
  auto found = decode_replacement(read_record(transport, record), record);
  if (!found || !is_in_force(transport, *found)) return {};
  return found;
}

// Files of the previous set without a counterpart in the new one, if their names match the set.
std::vector<std::string> surplus_of(Transport& transport, const std::vector<Renaming>& files,
                                    const FilesBefore& files_before) {
  const std::string& first = files.front().to;
  std::vector<std::string> surplus;
  try {
    if (transport.kind(first) != PathKind::file) return {};
    surplus = files_before(transport, first);
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    return {};  // an unreadable set has no further files
  }
  std::erase_if(surplus, [&](const std::string& path) {
    const auto is_new = [&](const Renaming& one) { return one.to == path; };
    return !belongs_to(replacement_path(first), path) || std::ranges::any_of(files, is_new);
  });
  return surplus;
}

Replacement plan(Transport& transport, const std::vector<Renaming>& files, bool overwrite,
                 const FilesBefore& files_before) {
  Replacement replacement;
  replacement.record = replacement_path(files.front().to);
  bool replaces_any = false;
  for (const Renaming& one : files) {
    const bool replaces = require_target(transport, one.to, overwrite);
    replaces_any = replaces_any || replaces;
    replacement.members.push_back(
        {one.from, one.to, {}, replaces ? identity_of(transport, one.to) : std::optional<Identity>()});
  }
  if (replaces_any) replacement.surplus = surplus_of(transport, files, files_before);
  // The access rights of a replaced file are kept; an additional file gets those of the first one.
  const bool replaces_first = replacement.members.front().before.has_value();
  for (Member& member : replacement.members) {
    const std::string& like = member.before ? member.to : files.front().to;
    if (member.before || replaces_first) transport.copy_permissions(like, member.from);
    member.made = transport.identity(member.from);
  }
  return replacement;
}

void sync_folders(Transport& transport, const Replacement& replacement) {
  std::set<std::string> folders;
  for (const Member& member : replacement.members) {
    if (folders.insert(base::directory_of(member.to)).second) transport.sync_directory(member.to);
  }
}

// Returns true if it is gone.
bool remove_quietly(Transport& transport, const std::string& path) noexcept {
  try {
    if (transport.kind(path) != PathKind::absent) transport.remove(path);
    return true;
  } catch (...) {
    return false;
  }
}

// Another writer may have taken the record for a leftover before it was locked, and created its own.
void remove_own(Transport& transport, const std::string& record, const std::optional<Identity>& own) noexcept {
  try {
    if (!own || storage::is_same_file(transport.identity(record), *own)) transport.remove(record);
  } catch (...) {
    // It no longer exists, or the next settlement removes it.
  }
}

// Renames the first file last, for programs that do not know records.
void give_names(Transport& transport, const Replacement& replacement, base::FunctionRef<void()> decided) {
  bool is_decided = false;
  for (auto at = replacement.members.rbegin(); at != replacement.members.rend(); ++at) {
    const Member& member = *at;
    if (!has_name(transport, member)) {
      const bool must_be_free = !is_decided && !member.before;
      try {
        must_be_free ? transport.publish(member.from, member.to) : transport.rename(member.from, member.to);
      } catch (const Error&) {
        if (!has_name(transport, member)) throw;
      }
    }
    if (!std::exchange(is_decided, true)) decided();
  }
}

void complete(Transport& transport, const Replacement& replacement, Sync sync, base::FunctionRef<void()> decided) {
  give_names(transport, replacement, decided);
  // Even where only data are to be synced: names of which some are lost would be neither the old files nor the new
  // ones.
  if (sync != Sync::none) sync_folders(transport, replacement);
  const auto is_gone = [&](const std::string& path) { return remove_quietly(transport, path); };
  const auto left = std::ranges::count_if(replacement.surplus, std::not_fn(is_gone));
  // It then has no more information than the names, except for files that the next settlement may remove.
  if (left == 0) remove_quietly(transport, replacement.record);
}

storage::WriterLock lock_of(const std::string& record) {
  return storage::WriterLock(
      record,
      Error(Code::io,
            fmt::format("{}: another program is publishing a new set under this name; wait until it has", record),
            {.path = record}));
}

}  // namespace

std::string replacement_path(const std::string& first) {
  constexpr std::string_view number = "vol";
  constexpr std::size_t least_digits = 4;
  std::string folder = base::folder_before(first), name = first.substr(folder.size());
  if (folder.size() > 1) {
    const std::string above = base::folder_before(folder.substr(0, folder.size() - 1));
    const auto last = std::string_view(folder).substr(above.size(), folder.size() - above.size() - 1);
    if (last.starts_with(number) && digits_behind(last, number.size()) >= least_digits) folder = above;
  }
  const std::size_t dot = name.rfind('.');
  const bool has_number = dot != std::string::npos && dot > 0 && name.compare(dot + 1, number.size(), number) == 0;
  if (has_number && digits_behind(name, dot + 1 + number.size()) >= least_digits) name.resize(dot);
  return base::hidden_name(folder + name, base::replacement_ending);
}

std::vector<std::string> replacement_paths(const std::string& path) {
  std::vector<std::string> records{replacement_path(path)};
  constexpr std::size_t digits_of_multifiles = 6;
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot <= base::folder_before(path).size()) return records;
  const std::string_view ending = std::string_view(path).substr(dot + 1);
  if (ending == "data" || ending == "fields" || digits_behind(ending, 0) == digits_of_multifiles) {
    records.push_back(replacement_path(path.substr(0, dot)));
  }
  return records;
}

std::vector<std::byte> encode_replacement(const Replacement& replacement) {
  const std::string folder = base::folder_before(replacement.record);
  std::vector<std::byte> bytes;
  const base::Bytes began = base::as_bytes(replacement_magic);
  bytes.assign(began.begin(), began.end());
  base::append_le(bytes, std::uint64_t{replacement.members.size()});
  base::append_le(bytes, std::uint64_t{replacement.surplus.size()});
  for (const Member& member : replacement.members) {
    put_text(bytes, from_folder(folder, member.from));
    put_text(bytes, from_folder(folder, member.to));
    put_identity(bytes, member.made);
    put_identity(bytes, member.before.value_or(Identity{}));
  }
  for (const std::string& path : replacement.surplus) put_text(bytes, from_folder(folder, path));
  base::append_le(bytes, kernels::crc32(0, bytes));
  return bytes;
}

std::optional<Replacement> decode_replacement(base::Bytes bytes, const std::string& record) {
  constexpr std::size_t sum_bytes = 4;
  if (bytes.size() < replacement_magic.size() + sum_bytes || !kernels::ends_in_crc32(bytes)) return {};
  if (base::as_text(bytes.first(replacement_magic.size())) != replacement_magic) return {};
  Replacement replacement;
  replacement.record = record;
  replacement.bytes.assign(bytes.begin(), bytes.end());
  Fields fields(bytes.subspan(replacement_magic.size(), bytes.size() - replacement_magic.size() - sum_bytes));
  const std::uint64_t members = fields.number(), surplus = fields.number();
  const std::string folder = base::folder_before(record);
  for (std::uint64_t i = 0; i < members && !fields.is_at_end(); ++i) {
    Member member;
    member.from = folder + fields.text();
    member.to = folder + fields.text();
    member.made = fields.identity();
    const Identity before = fields.identity();
    if (before.inode != 0) member.before = before;
    if (!is_temporary_of(member.from, member.to) || leads_out(member.to, folder)) return {};
    replacement.members.push_back(std::move(member));
  }
  for (std::uint64_t i = 0; i < surplus && !fields.is_at_end(); ++i) {
    replacement.surplus.push_back(folder + fields.text());
    if (!belongs_to(record, replacement.surplus.back()) || leads_out(replacement.surplus.back(), folder)) return {};
  }
  const bool is_whole = members > 0 && replacement.members.size() == members && replacement.surplus.size() == surplus;
  if (!is_whole || !fields.is_at_end() || replacement_path(replacement.members.front().to) != record) return {};
  return replacement;
}

std::optional<Replacement> find_replacement(Transport& transport, const std::string& path) {
  for (const std::string& record : replacement_paths(path)) {
    auto found = look_at(transport, record);
    const auto is_named = [&](const Member& member) { return has_name(transport, member); };
    if (found && !std::ranges::all_of(found->members, is_named)) return found;
  }
  return {};
}

std::vector<std::string> files_to_be_removed(Transport& transport, const std::string& path) {
  std::vector<std::string> files;
  for (const std::string& record : replacement_paths(path)) {
    const auto found = look_at(transport, record);
    if (found) files.insert(files.end(), found->surplus.begin(), found->surplus.end());
  }
  return files;
}

Finding finding_of(const Replacement& replacement) {
  const std::string& first = replacement.members.front().to;
  return {.severity = Severity::note,
          .rule = "replacement",
          .message =
              fmt::format("{} states that a new set is complete, but not all of its files have their final names yet; "
                          "readers already use it. `lq repair {}` renames them, unless the writer still does",
                          replacement.record, first)};
}

void require_no_replacement(Transport& transport, const std::string& path) {
  const auto found = find_replacement(transport, path);
  if (!found) return;
  throw Error(
      Code::wrong_state,
      fmt::format("{}: its files do not all have their names yet, because {} exists; wait until their writer has "
                  "renamed them, or run \"lq repair {}\" first",
                  path, found->record, path),
      {.path = path});
}

std::vector<std::string> FilesByFormat::operator()(Transport& transport, const std::string& first) const {
  return format::scan(*transport.open_read(first), {}).files;
}

void replace_together(Transport& transport, const std::vector<Renaming>& files, bool overwrite, Sync sync,
                      base::FunctionRef<void()> decided, const FilesBefore& files_before) {
  const std::string& first = files.front().to;
  const std::string record = replacement_path(first);
  settle_replacement(transport, first, sync);
  const auto file = transport.create(record);
  std::optional<Identity> own;
  bool is_decided = false;
  try {
    own = file->identity();
    const storage::WriterLock lock = lock_of(record);
    const Replacement replacement = plan(transport, files, overwrite, files_before);
    file->write_at(0, encode_replacement(replacement));
    if (sync != Sync::none) file->sync();
    file->close();
    if (sync != Sync::none) transport.sync_directory(record);
    // Another writer takes an incomplete record for a leftover, and creates its own.
    if (!look_at(transport, record) || !storage::is_same_file(transport.identity(record), *own)) {
      throw Error(Code::io,
                  fmt::format("{}: another program writes files of this name at the same time; no file was published. "
                              "Let only one program write at a time",
                              first),
                  {.path = first});
    }
    complete(transport, replacement, sync, [&] {
      is_decided = true;
      decided();
    });
  } catch (const Error& error) {
    if (!is_decided) {
      remove_own(transport, record, own);
      throw;
    }
    throw Error(error.code(),
                fmt::format("{}: the new files are complete and in use, but renaming them failed: "
                            "{}. \"lq repair {}\" completes the renaming",
                            first, error.what(), first),
                error.facts());
  }
}

std::optional<Replacement> settle_replacement(Transport& transport, const std::string& path, Sync sync) {
  for (const std::string& record : replacement_paths(path)) {
    if (transport.kind(record) != PathKind::file) continue;
    const storage::WriterLock lock = lock_of(record);
    auto found = look_at(transport, record);
    if (found) {
      // A writer that was killed may not have synced it; it is needed if this call is interrupted.
      if (sync != Sync::none) {
        transport.open_write(record)->sync();
        transport.sync_directory(record);
      }
      complete(transport, *found, sync, [] {});
      return found;
    }
    if (transport.kind(record) == PathKind::file) transport.remove(record);
  }
  return {};
}

void give_usual_permissions(Transport& transport, const std::string& path) {
  const std::string usual = base::temporary_name(path, base::random_number());
  const auto file = transport.create(usual);
  try {
    file->close();
    transport.copy_permissions(usual, path);
  } catch (...) {
    remove_quietly(transport, usual);
    throw;
  }
  transport.remove(usual);
}

void ReplacedFiles::look(const std::string& path) { replacement_ = find_replacement(inner(), path); }

bool ReplacedFiles::is_still_so(const std::string& path) const {
  const auto now = find_replacement(inner(), path);
  return now ? replacement_ && now->bytes == replacement_->bytes : !replacement_;
}

// The file may get its name in the meantime.
template <class Do>
auto ReplacedFiles::found(const std::string& path, const Do& what) const {
  if (replacement_) {
    const auto member = std::ranges::find(replacement_->members, path, &Member::to);
    try {
      if (member != replacement_->members.end()) return what(member->from);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
    }
  }
  return what(path);
}

namespace {

// A file shown under its final name.
class Renamed final : public storage::ForwardingFile {
 public:
  Renamed(std::shared_ptr<File> file, std::string path) : ForwardingFile(std::move(file)), path_(std::move(path)) {}
  const std::string& path() const noexcept override { return path_; }
  Identity identity_when_opened() const override { return inner().identity_when_opened(); }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<storage::File> ReplacedFiles::open_read(const std::string& path) {
  return found(path, [&](const std::string& name) -> std::unique_ptr<storage::File> {
    auto file = inner().open_read(name);
    if (name == path) return file;
    return std::make_unique<Renamed>(std::move(file), path);
  });
}

Identity ReplacedFiles::identity(const std::string& path) {
  return found(path, [&](const std::string& name) { return inner().identity(name); });
}

}  // namespace lq::io
