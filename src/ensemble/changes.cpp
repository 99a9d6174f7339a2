// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/changes.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <limequat/error.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {
namespace {

struct FileState {
  std::string size, sum, state;
};

using FileStates = std::map<std::string, FileState>;

// SQLite parses the JSON: the columns of a row are those of Page::put_file.
constexpr const char* rows_of_page = R"sql(
SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[6]'),
  json_extract(value, '$[11]'), json_extract(value, '$[9]') FROM json_each(?1, '$.files'))sql";

std::vector<std::string> words_of(const Database& database, std::string_view data) {
  std::vector<std::string> words;
  Statement rows = database.prepare("SELECT value FROM json_each(?1, '$.words')");
  rows.bind(data);
  while (rows.step()) words.push_back(rows.text(0));
  return words;
}

FileStates states_of(const Database& database, std::string_view data) {
  const std::vector<std::string> words = words_of(database, data);
  const auto word = [&](std::int64_t number) {
    const bool is_one = number >= 0 && static_cast<std::uint64_t>(number) < words.size();
    return is_one ? words[static_cast<std::size_t>(number)] : std::string();
  };
  FileStates states;
  Statement rows = database.prepare(rows_of_page);
  rows.bind(data);
  while (rows.step()) {
    const std::string folder = word(rows.whole(0));
    states[folder.empty() ? rows.text(1) : folder + "/" + rows.text(1)] = {rows.text(2), rows.text(3),
                                                                           word(rows.whole(4))};
  }
  return states;
}

std::string text_at(const Database& database, std::string_view data, const char* place) {
  Statement row = database.prepare("SELECT json_extract(?1, ?2)");
  row.bind(data, place);
  return row.step() ? row.text(0) : std::string();
}

bool is_bad(const std::string& state) {
  constexpr std::array bad = {"unproven", "damaged", "incomplete", "unreadable", "missing"};
  return std::ranges::find(bad, state) != bad.end();
}

bool is_good(const std::string& state) { return state == "sound" || state == "consistent"; }

void compare(Changes& changes, const std::string& path, const FileState& before, const FileState& now) {
  const bool is_rewritten =
      before.size != now.size || (before.sum != now.sum && !before.sum.empty() && !now.sum.empty());
  if (is_rewritten) changes.rewritten.add(path);
  if (is_bad(now.state) && !is_bad(before.state)) changes.failed.add(path);
  if (is_good(now.state) && !is_good(before.state)) changes.verified.add(path);
}

}  // namespace

std::optional<Changes> changes_between(std::string_view old_data, std::string_view new_data) {
  const Database database = make_in_memory();
  try {
    Changes changes;
    changes.since = text_at(database, old_data, "$.made");
    const bool is_about_the_same = text_at(database, old_data, "$.folders") == text_at(database, new_data, "$.folders");
    if (changes.since.empty() || !is_about_the_same) return std::nullopt;
    const FileStates before = states_of(database, old_data), now = states_of(database, new_data);
    for (const auto& [path, state] : now) {
      const auto old = before.find(path);
      old == before.end() ? changes.added.add(path) : compare(changes, path, old->second, state);
    }
    for (const auto& [path, state] : before) {
      if (!now.contains(path)) changes.gone.add(path);
    }
    return changes;
  } catch (const Error&) {
    return std::nullopt;  // not JSON, or not of a page: another program's file
  }
}

std::string_view data_of_page(std::string_view page) {
  constexpr std::string_view begin = R"(<script type="application/json" id="data">)", end = "</script>";
  const std::size_t at = page.find(begin);
  if (at == std::string_view::npos) return {};
  page.remove_prefix(at + begin.size());
  const std::size_t length = page.find(end);
  return length == std::string_view::npos ? std::string_view() : page.substr(0, length);
}

}  // namespace lq::ensemble
