// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/files.hpp"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/path.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "format/format.hpp"

namespace lq::ensemble {
namespace {

FileStatus taken(const struct stat& found) noexcept {
  return {static_cast<std::uint64_t>(found.st_size), base::modification_time(found),
          static_cast<std::int64_t>(found.st_dev), static_cast<std::int64_t>(found.st_ino)};
}

}  // namespace

bool status_of(const std::string& path, FileStatus& status) noexcept {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  status = taken(found);
  return true;
}

bool is_link(const std::string& path) noexcept {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

std::string full_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) throw base::errno_error(path, "look into it", errno);
  return real.get();
}

void walk(const std::string& folder, const std::function<void(const std::string&, const FileStatus&)>& visit,
          const std::function<void(const std::string&, const std::string&)>& unreadable,
          const std::function<void(const std::string&)>& not_entered,
          const std::function<bool(const std::string&)>& is_left_out) {
  std::vector<std::string> waiting = {folder};
  while (!waiting.empty()) {
    base::throw_if_interrupted();
    const std::string here = std::move(waiting.back());
    waiting.pop_back();
    std::vector<std::string> names;
    const int failure = base::names_in(here, names);
    for (const std::string& name : names) {
      std::string path = here.back() == '/' ? here : here + '/';
      path += name;
      if (is_left_out && is_left_out(path)) continue;
      struct stat found {};
      if (::lstat(path.c_str(), &found) != 0) continue;
      if (S_ISDIR(found.st_mode)) {
        if (not_entered && !suffix_of_format(path).empty()) not_entered(path);  // something made it in place of a file
        waiting.push_back(std::move(path));
        continue;
      }
      if (S_ISLNK(found.st_mode) && ::stat(path.c_str(), &found) != 0) {
        visit(path, {});
        continue;
      }
      if (S_ISREG(found.st_mode)) {
        visit(path, taken(found));
      } else if (not_entered) {
        not_entered(path);
      }
    }
    if (failure != 0) unreadable(here, std::strerror(failure));
  }
}

std::string describe_not_entered(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    return fmt::format("a folder, although its name has the suffix {} of a file; files in it are looked for as well",
                       suffix_of_format(path));
  }
  if (::stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode)) {
    const char* const what = S_ISFIFO(found.st_mode)   ? "a named pipe"
                             : S_ISSOCK(found.st_mode) ? "a socket"
                                                       : "a device";
    return fmt::format("{}, which contains no file", what);
  }
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return fmt::format("a link to the folder {}, which is not followed; name that folder to include it",
                     real ? base::printable(real.get(), 4096) : "?");
}

Exclusion::Exclusion(std::string_view patterns) {
  while (!patterns.empty()) {
    const std::size_t end = std::min(patterns.find(','), patterns.size());
    std::string_view pattern = patterns.substr(0, end);
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
    while (pattern.starts_with("./")) pattern.remove_prefix(2);
    while (pattern.ends_with('/')) pattern.remove_suffix(1);
    if (pattern.empty()) continue;
    (pattern.find('/') == std::string_view::npos ? names_ : paths_).emplace_back(pattern);
  }
}

bool Exclusion::matches(const std::string& path_below) const {
  const auto is_like = [](const std::string& text) {
    return [&text](const std::string& pattern) { return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0; };
  };
  const std::string name = path_below.substr(path_below.rfind('/') + 1);
  return std::ranges::any_of(names_, is_like(name)) || std::ranges::any_of(paths_, is_like(path_below));
}

bool Exclusion::holds(std::string_view path, std::string_view folder) const {
  if (is_none() || path.size() <= folder.size()) return false;
  path.remove_prefix(folder.size());
  while (path.starts_with('/')) path.remove_prefix(1);
  for (std::size_t slash = 0; slash != std::string_view::npos;) {
    slash = path.find('/', slash + 1);
    if (matches(std::string(path.substr(0, slash)))) return true;
  }
  return false;
}

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// `b` in lower case: ".H5" is ".h5".
bool is_same(char a, char b) noexcept { return std::tolower(static_cast<unsigned char>(a)) == b; }

// Words before the number of a folder that holds one configuration.
bool is_of_a_configuration(std::string_view word) {
  constexpr std::array<std::string_view, 14> words = {"conf",  "config",  "cfg",        "cnfg", "configuration",
                                                      "traj",  "tr",      "trajectory", "lat",  "lattice",
                                                      "gauge", "ckpoint", "sweep",      "step"};
  while (!word.empty() && (word.back() == '.' || word.back() == '_' || word.back() == '-' || word.back() == ' ')) {
    word.remove_suffix(1);
  }
  const auto is_word = [&](std::string_view other) { return std::ranges::equal(word, other, is_same); };
  return word.empty() || std::ranges::any_of(words, is_word);
}

// The number of the folder, whose name is the last one of `folder`.
NameParts parts_of_folder(std::string_view path, std::string_view folder) {
  const std::size_t begin = folder.rfind('/') + 1;
  std::size_t first = folder.size();
  while (first > begin && is_digit(folder[first - 1])) --first;
  const auto number = base::parse_u64(folder.substr(first));
  if (!number || *number > INT64_MAX || !is_of_a_configuration(folder.substr(begin, first - begin))) {
    return {std::string(path), std::nullopt};
  }
  return {std::string(path.substr(0, first)) + '*' + std::string(path.substr(folder.size())),
          static_cast<std::int64_t>(*number), true};
}

}  // namespace

std::string_view suffix_of_format(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // Includes the suffixes of HDF5 even if its component is not loaded, and that of the numbers of a raw description.
  std::size_t longest = 0;
  const auto take = [&](std::string_view suffix) {
    if (name.size() <= suffix.size()) return;
    if (std::ranges::equal(name.substr(name.size() - suffix.size()), suffix, is_same)) {
      longest = std::max(longest, suffix.size());
    }
  };
  for (const std::string_view suffix : {".h5", ".hdf5", ".raw.data"}) take(suffix);
  for (const format::Format* format : format::formats()) {
    for (const std::string_view suffix : format->info.suffixes) take(suffix);
  }
  return name.substr(name.size() - longest);
}

bool has_suffix_of_others(std::string_view path, std::string_view format) {
  const std::string_view suffix = suffix_of_format(path);
  if (suffix.empty() || format.empty() || format == "squeezed") return false;  // an archive keeps any name
  const auto is_suffix = [&](std::string_view other) { return std::ranges::equal(suffix, other, is_same); };
  if (is_suffix(".h5") || is_suffix(".hdf5")) return format != "hdf5";
  const auto known = std::ranges::find(format::formats(), format, [](const auto* one) { return one->info.name; });
  const std::string_view beginning = known == format::formats().end() ? std::string_view() : (*known)->info.begins;
  // All formats in LIME files share their suffixes.
  return std::ranges::none_of(format::formats(), [&](const format::Format* one) {
    return (one->info.name == format || one->info.begins == beginning) &&
           std::ranges::any_of(one->info.suffixes, is_suffix);
  });
}

NameParts parts_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  std::size_t end = path.size() - suffix_of_format(path).size();
  while (end > begin && !is_digit(path[end - 1])) --end;
  std::size_t first = end;
  while (first > begin && is_digit(path[first - 1])) --first;
  if (first == end && begin > 1) return parts_of_folder(path, path.substr(0, begin - 1));
  const auto number = base::parse_u64(path.substr(first, end - first));
  if (!number || *number > INT64_MAX) return {std::string(path), std::nullopt};
  return {std::string(path.substr(0, first)) + '*' + std::string(path.substr(end)), static_cast<std::int64_t>(*number)};
}

std::string telling_name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return parts_of(path).is_of_folder ? path.substr(path.rfind('/', slash - 1) + 1) : path.substr(slash + 1);
}

std::string names_text(const std::vector<std::string>& paths) {
  std::string text;
  for (std::size_t k = 0; k < std::min(paths.size(), most_names); ++k) {
    text += (k == 0 ? "" : ", ") + telling_name_of(paths[k]);
  }
  return paths.size() > most_names ? fmt::format("{} and {} more", text, paths.size() - most_names) : text;
}

namespace {

constexpr std::string_view between_words = "._- ()";

// Empty: no mark.
std::string without_mark(const std::string& name) {
  const auto is_same_text = [&](std::size_t at, std::string_view word) {
    return name.size() - at >= word.size() && std::ranges::equal(name.substr(at, word.size()), word, is_same);
  };
  // Of editors, and of `cp --backup`: "name~", "name.~2~", "#name#".
  if (name.size() > 2 && name.front() == '#' && name.back() == '#') return name.substr(1, name.size() - 2);
  if (name.size() > 1 && name.back() == '~') {
    std::size_t end = name.size() - 1;
    while (end > 0 && is_digit(name[end - 1])) --end;
    return end > 2 && name.substr(end - 2, 2) == ".~" ? name.substr(0, end - 2) : name.substr(0, name.size() - 1);
  }
  for (const std::string_view word : {"old", "bak", "backup", "orig", "original", "save", "saved", "prev", "previous",
                                      "copy", "tmp", "temp", "bad", "broken"}) {
    for (std::size_t at = 0; at + word.size() <= name.size(); ++at) {
      const bool begins = at == 0 || between_words.find(name[at - 1]) != std::string_view::npos;
      if (!begins || !is_same_text(at, word)) continue;
      std::size_t end = at + word.size();
      while (end < name.size() && is_digit(name[end])) ++end;  // "bak2"
      if (end < name.size() && between_words.find(name[end]) == std::string_view::npos) continue;
      const std::size_t next = name.find_first_not_of(between_words, end);
      if (at == 0) return next == std::string::npos ? std::string() : name.substr(next);
      const std::size_t last = name.find_last_not_of(between_words, at - 1);
      if (last == std::string::npos) continue;
      // A delimiter before the rest stays: "conf.0100" and ".ildg".
      return name.substr(0, last + 1) + (next == std::string::npos ? std::string() : name.substr(next - 1));
    }
  }
  return {};
}

}  // namespace

std::string without_version_mark(const std::string& path) {
  const std::size_t slash = path.rfind('/'), begin = slash == std::string::npos ? 0 : slash + 1;
  if (std::string name = without_mark(path.substr(begin)); !name.empty()) return path.substr(0, begin) + name;
  if (begin < 2 || parts_of(path).number) return {};
  const std::string folder = path.substr(0, begin - 1);
  const std::size_t before = folder.rfind('/') + 1;
  const std::string name = without_mark(folder.substr(before));
  return name.empty() ? name : folder.substr(0, before) + name + path.substr(begin - 1);
}

}  // namespace lq::ensemble
