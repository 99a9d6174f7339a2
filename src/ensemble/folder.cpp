// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folder.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/path.hpp"
#include "ensemble/files.hpp"
#include "io/journal.hpp"
#include "protection/layout.hpp"

namespace lq::ensemble {
namespace {

// Small files of other programs may have the same size by accident.
constexpr std::uint64_t least_size = 1024;

// Suffixes of other programs' files, which may be empty.
constexpr std::array<std::string_view, 20> endings_of_others = {
    ".log", ".out", ".err",  ".txt",  ".md",  ".xml", ".json", ".yaml", ".yml",       ".toml",
    ".ini", ".in",  ".lock", ".done", ".pid", ".py",  ".sh",   ".csv",  ".gitignore", ".gitkeep"};
constexpr std::array<std::string_view, 7> compressed = {".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".Z"};

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view folder_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

std::string_view without_compression(std::string_view path) {
  for (const std::string_view ending : compressed) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

std::string of_size(const FileInspection& inspection) {
  return fmt::format("{}{}", folder_of(inspection.path), inspection.size);
}

// Equal for files of one name in sibling folders: "/run/*/conf" for "/run/100/conf".
std::string cousins_of(std::string_view path) {
  std::string_view folder = folder_of(path);
  if (folder.size() < 2) return {};
  folder.remove_suffix(1);
  return fmt::format("{}*/{}", folder_of(folder), name_of(path));
}

bool is_alphanumeric(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// ".conf.1000.ildg.Ab12Cd": what rsync has of a file so far.
bool is_of_rsync(std::string_view name) {
  constexpr std::size_t letters = 6;
  if (name.size() < letters + 2 || name[name.size() - letters - 1] != '.') return false;
  return std::ranges::all_of(name.substr(name.size() - letters), is_alphanumeric) &&
         !suffix_of_format(name.substr(0, name.size() - letters - 1)).empty();
}

// ".nfs000000000012ab3400000001": an NFS client removes it when the last program closes it.
bool is_of_nfs(std::string_view name) {
  constexpr std::string_view beginning = ".nfs";
  constexpr std::size_t least_digits = 16;
  return name.starts_with(beginning) && name.size() >= beginning.size() + least_digits &&
         std::ranges::all_of(name.substr(beginning.size()),
                             [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

Verdict verdict_of(FileRole role) noexcept {
  switch (role) {
    case FileRole::entry:
    case FileRole::part:
      return Verdict::sound;
    case FileRole::lost:
      return Verdict::unreadable;
    case FileRole::being_written:
      return Verdict::being_written;
    case FileRole::leftover:
      return Verdict::incomplete;
    case FileRole::stranger:
      return Verdict::foreign;
  }
  return Verdict::foreign;
}

std::string sentence_of(const Place& place, const std::string& path, const std::string& what) {
  switch (place.role) {
    case FileRole::being_written:
      return fmt::format("{}: this is the temporary name of a file that its writer has not completed", path);
    case FileRole::leftover:
      return fmt::format("{}: this temporary file was not modified for a day: its writer was interrupted; remove it",
                         path);
    default:
      return fmt::format("{}: expected a lattice file ({}), found {}", path, place.reason, what);
  }
}

bool is_temporary(std::string_view path) {
  if (base::parse_temporary_name(path) || path.ends_with(io::journal_ending)) return true;
  const std::string_view name = name_of(path);
  if (name.starts_with('.')) {
    return name.ends_with(base::unfinished_copy_ending) || name.ends_with(base::copied_ending) || is_of_rsync(name) ||
           is_of_nfs(name);
  }
  // The suffix that other programs give to partial downloads.
  constexpr std::string_view part = ".part";
  return name.ends_with(part) && !suffix_of_format(name.substr(0, name.size() - part.size())).empty();
}

void Neighbours::add(const FileInspection& inspection) {
  paths_.insert(inspection.path);
  for (const std::string& part : inspection.parts) owners_.emplace(part, inspection.path);
  // The owner of a journal cannot be derived from a truncated name.
  if (io::has_cut_journal(inspection.path)) owners_.emplace(io::journal_path(inspection.path), inspection.path);
  if (!inspection.is_recognised && !inspection.was_entry) return;
  NameParts name = parts_of(inspection.path);
  if (name.number && !name.is_of_folder) series_.insert(std::move(name.series));
  if (inspection.is_recognised && inspection.size >= least_size) sizes_.insert(of_size(inspection));
  if (std::string cousins = cousins_of(inspection.path); !cousins.empty()) cousins_.insert(std::move(cousins));
}

const std::string* Neighbours::owner_of(const std::string& path) const {
  const auto found = owners_.find(path);
  return found == owners_.end() ? nullptr : &found->second;
}

// A parity sidecar belongs to the file it is named after, else to its folder.
Place Neighbours::place_of_sidecar(const std::string& path) const {
  const bool is_set = path.ends_with(protection::set_ending);
  const std::size_t ending = is_set ? protection::set_ending.size() : protection::parity_ending.size();
  std::string owner = path.substr(0, path.size() - ending);
  if (is_set && !paths_.contains(owner)) owner = path.substr(0, path.rfind('/'));
  return {FileRole::part, std::move(owner)};
}

Place Neighbours::place_of(const FileInspection& inspection, std::int64_t now) const {
  const std::string& path = inspection.path;
  if (protection::is_sidecar(path) && !is_temporary(path)) return place_of_sidecar(path);
  if (const std::string* const owner = owner_of(path)) return {FileRole::part, *owner};
  if (!inspection.part_of.empty() && paths_.contains(inspection.part_of)) return {FileRole::part, inspection.part_of};
  if (path.ends_with(io::journal_ending)) {
    const std::string_view changed = std::string_view(path).substr(0, path.size() - io::journal_ending.size());
    std::string older(changed), newer(folder_of(changed));
    newer += name_of(changed).substr(name_of(changed).starts_with('.') ? 1 : 0);
    if (paths_.contains(newer)) return {FileRole::part, std::move(newer)};
    if (paths_.contains(older)) return {FileRole::part, std::move(older)};
  }
  if (is_temporary(path)) {
    return {now - inspection.modified < longest_writing ? FileRole::being_written : FileRole::leftover};
  }
  if (inspection.is_recognised) return {FileRole::entry};
  if (std::string reason = reason_to_miss(inspection); !reason.empty()) return {FileRole::lost, std::move(reason)};
  return {FileRole::stranger};
}

// Why a file that no format recognises should be an entry; empty if it need not be.
std::string Neighbours::reason_to_miss(const FileInspection& inspection) const {
  const std::string_view plain = without_compression(inspection.path);
  if (inspection.was_entry) return "the catalogue lists it";
  if (const std::string_view suffix = suffix_of_format(plain); !suffix.empty()) {
    return fmt::format("its name has the suffix {}", suffix);
  }
  const NameParts name = parts_of(plain);
  if (name.number && !name.is_of_folder && series_.contains(name.series))
    return fmt::format("its name is one of {}", name_of(name.series));
  if (sizes_.contains(of_size(inspection))) return "it has the size of a lattice file in the same folder";
  if (cousins_.contains(cousins_of(inspection.path))) return "files of this name in other folders are lattice files";
  const std::string_view own = name_of(inspection.path);
  const bool is_of_others = own.starts_with('.') || std::ranges::any_of(endings_of_others, [&](std::string_view e) {
                              return own.ends_with(e);
                            });
  if (inspection.has_remains && !is_of_others) {
    return inspection.size == 0 ? "interrupted writers and copies leave such files"
                                : "it contains remains of a lattice file";
  }
  return {};
}

}  // namespace lq::ensemble
