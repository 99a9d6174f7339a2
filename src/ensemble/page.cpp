// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "ensemble/changes.hpp"
#include "ensemble/database.hpp"
#include "ensemble/files.hpp"
#include "ensemble/history.hpp"
#include "ensemble/observables.hpp"
#include "ensemble/store.hpp"
#include "io/replaceable.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble {
namespace {

using base::JsonWriter;
using ensemble::Assessment;
using ensemble::CatalogueOptions;
using ensemble::PageReport;

constexpr std::size_t most_damaged = 200;     // files with a map; the table lists all
constexpr std::size_t most_duplicates = 500;  // sets of equal files
constexpr std::size_t most_remarks = 500;
constexpr std::size_t most_of_a_set = 20;   // of equal files
constexpr std::size_t most_messages = 20;   // of one file
constexpr std::size_t most_stretches = 40;  // of a history
constexpr std::size_t most_facts = 8;       // of an ensemble
// A page of ten thousand files has all of them. Of more it has a part, and says so, as no browser shows a million.
constexpr std::uint64_t most_rows = 20'000;
constexpr std::size_t most_histories = 300;
constexpr std::size_t most_gaps = 300;     // series with gaps
constexpr std::size_t most_missing = 200;  // numbers of one of these
constexpr std::size_t most_ensembles = 100;

// `wanted` of `count` things, evenly spread over them.
class EvenChoice {
 public:
  EvenChoice(std::uint64_t count, std::uint64_t wanted) : count_(count), wanted_(std::min(count, wanted)) {}
  bool takes_next() noexcept {
    if (count_ == 0) return true;  // another process added it meanwhile
    const std::uint64_t before = next_ * wanted_ / count_;
    return ++next_ * wanted_ / count_ > before;
  }
  std::uint64_t left_out() const noexcept { return count_ - wanted_; }

 private:
  std::uint64_t count_, wanted_, next_ = 0;
};

// What the page counts: of all files, also those that are not in its list.
struct Totals {
  std::uint64_t bytes = 0, with_parity = 0, left_out = 0;
  std::map<std::string, std::uint64_t> states;
};

bool is_known_to_be_bad(const std::string& state) {
  return state == "unproven" || state == "damaged" || state == "incomplete" || state == "unreadable";
}

// Folders, formats, lattices, ...: each is in the page once.
class Words {
 public:
  std::int64_t number(const std::string& word) {
    if (word.empty()) return -1;
    const auto [entry, is_new] = numbers_.try_emplace(word, static_cast<std::int64_t>(words_.size()));
    if (is_new) words_.push_back(word);
    return entry->second;
  }
  const std::vector<std::string>& all() const noexcept { return words_; }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> words_;
};

// A byte range of a file with a message.
struct MessageRange {
  std::int64_t offset = 0;
  std::int64_t length = 0;

  std::int64_t end() const noexcept { return length > INT64_MAX - offset ? INT64_MAX : offset + length; }
  friend bool operator==(const MessageRange&, const MessageRange&) = default;
};

// Ranges that contain no smaller one, from the last to the first.
std::vector<MessageRange> innermost(std::vector<MessageRange> all) {
  std::ranges::sort(all, [](const MessageRange& a, const MessageRange& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.length > b.length;
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<MessageRange> kept;
  std::int64_t next_end = INT64_MAX;  // the smallest end of the ranges that begin later
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    if (kept.empty() || one->end() < next_end) kept.push_back(*one);
    next_end = std::min(next_end, one->end());
  }
  return kept;
}

// The last component of a path: "b6.0" of "/data/b6.0".
std::string last_part(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos || path.size() == 1 ? path : path.substr(slash + 1));
}

// Facts common to all files of an ensemble: beta, kappa, masses.
class CommonFacts {
 public:
  void add(const std::string& name, const std::string& value) {
    Fact& fact = facts_.try_emplace(name, Fact{value}).first->second;
    ++fact.files;
    fact.is_common = fact.is_common && fact.value == value;
  }

  // For `files` files: facts that at least half of them state.
  std::vector<std::pair<std::string, std::string>> of(std::uint64_t files) const {
    std::vector<std::pair<std::string, std::string>> common;
    for (const auto& [name, fact] : facts_) {
      if (fact.is_common && fact.files * 2 >= files && common.size() < most_facts)
        common.emplace_back(name, fact.value);
    }
    return common;
  }

 private:
  struct Fact {
    std::string value;
    std::uint64_t files = 0;
    bool is_common = true;
  };
  std::map<std::string, Fact> facts_;
};

struct Ensemble {
  std::string folder;
  std::string name = last_part(folder);
  std::uint64_t files = 0;  // with those that are missing
  std::uint64_t bad = 0, missing = 0;
  CommonFacts facts = {};
};

// The folders themselves; for a single folder with files in subfolders only, the subfolders.
std::vector<Ensemble> ensembles_in(const std::vector<std::string>& folders, const std::vector<std::string>& paths) {
  std::vector<Ensemble> found;
  for (const std::string& folder : folders) found.push_back({folder});
  if (folders.size() != 1) {
    std::map<std::string, int> names;
    for (const Ensemble& one : found) ++names[one.name];
    for (Ensemble& one : found) {
      if (names[one.name] > 1) one.name = one.folder;
    }
    return found;
  }
  const std::string& folder = folders.front();
  const std::size_t begin = folder.ends_with('/') ? folder.size() : folder.size() + 1;
  std::set<std::string> below;
  for (const std::string& path : paths) {
    if (!is_below(path, folder)) continue;
    const std::size_t slash = path.find('/', begin);
    if (slash == std::string::npos) return found;
    below.insert(path.substr(0, slash));
  }
  // As many as these are configurations in folders of their own.
  if (below.size() < 2 || below.size() > most_ensembles) return found;
  found.clear();
  for (const std::string& one : below) found.push_back({one});
  return found;
}

class Page {
 public:
  Page(const Database& database, const std::vector<std::string>& folders)
      : database_(database), folders_(folders), assessment_(assess(database)), ensembles_(find_ensembles()) {
    for (const ensemble::Outlier& outlier : assessment_.outliers) {
      if (is_asked_for(outlier.path)) far_.insert(outlier.path);
    }
    for (std::size_t k = 0; k < ensembles_.size(); ++k) {
      by_folder_.emplace(ensembles_[k].folder, static_cast<std::int64_t>(k));
    }
  }

  std::string data(std::string_view made);
  std::uint64_t files() const noexcept { return files_; }
  // Made from its ensembles; empty: it has none.
  std::string title() const {
    constexpr std::size_t most = 3;
    std::vector<std::string> names;
    for (const Ensemble& one : ensembles_) {
      if (names.size() < most) names.push_back(one.name);
    }
    const std::size_t more = ensembles_.size() - names.size();
    return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }

 private:
  bool is_asked_for(const std::string& path) const {
    const auto holds = [&](const std::string& folder) { return is_below(path, folder); };
    return folders_.empty() || std::ranges::any_of(folders_, holds);
  }
  std::vector<Ensemble> find_ensembles() const;
  // Of the files that are asked for: how many there are, and how many of these are not in order.
  std::pair<std::uint64_t, std::uint64_t> count_rows() const;
  bool is_odd(const std::string& path, const std::string& state) const;
  void count_file(const Statement& row, const std::string& path, std::int64_t ensemble);
  void put_totals(JsonWriter& json) const;
  std::int64_t ensemble_of(const std::string& path) const;
  void take_facts(const std::unordered_map<std::int64_t, std::int64_t>& ensemble_of_file);
  void put_ensembles(JsonWriter& json) const;
  void put_histories(JsonWriter& json);
  void put_files(JsonWriter& json);
  void put_file(JsonWriter& json, const Statement& row, const std::string& path, std::int64_t ensemble);
  void add_to_chain(const Statement& row, const std::string& path, std::int64_t ensemble);
  void put_observables(JsonWriter& json) const;
  void put_damage(JsonWriter& json);
  void put_damaged_file(JsonWriter& json, std::int64_t id, const std::string& path, const Statement& row);
  void put_assessment(JsonWriter& json) const;

  const Database& database_;
  const std::vector<std::string>& folders_;
  Assessment assessment_;
  std::vector<Ensemble> ensembles_;
  std::unordered_map<std::string, std::int64_t> by_folder_;  // numbers of ensembles
  Totals totals_;
  struct Chain {
    std::vector<std::int64_t> trajectories;
    std::vector<double> plaquettes;
    std::int64_t ensemble = -1;
  };
  std::map<std::string, Chain> chains_;  // by series: files that are not known to be damaged, without outliers
  std::set<std::string> far_;
  Words words_;
  std::uint64_t files_ = 0;
  std::vector<std::string> order_;  // paths of the files
};

std::vector<Ensemble> Page::find_ensembles() const {
  std::vector<std::string> folders = folders_, paths;
  if (folders.empty()) {
    Statement indexed = database_.prepare("SELECT full_path(path) AS full FROM folders ORDER BY full");
    while (indexed.step()) folders.push_back(indexed.text(0));
  }
  Statement files = database_.prepare("SELECT full_path(path) FROM files");
  while (folders.size() == 1 && files.step()) paths.push_back(files.text(0));
  return ensembles_in(folders, paths);
}

// The innermost folder that contains it; -1: none.
std::int64_t Page::ensemble_of(const std::string& path) const {
  for (std::size_t end = path.size(); end != std::string::npos && end > 0; end = path.rfind('/', end - 1)) {
    const auto found = by_folder_.find(path.substr(0, end));
    if (found != by_folder_.end()) return found->second;
  }
  const auto root = by_folder_.find("/");
  return root == by_folder_.end() ? -1 : root->second;
}

void Page::take_facts(const std::unordered_map<std::int64_t, std::int64_t>& ensemble_of_file) {
  Statement rows = database_.prepare(
      "SELECT DISTINCT file_id, name, value FROM properties WHERE number IS NOT NULL AND name NOT IN ('plaquette', "
      "'trajectory', 'linktr', 'link_trace', 'seed')");
  while (rows.step()) {
    const auto found = ensemble_of_file.find(rows.whole(0));
    if (found == ensemble_of_file.end()) continue;
    ensembles_[static_cast<std::size_t>(found->second)].facts.add(rows.text(1), rows.text(2));
  }
}

void Page::put_ensembles(JsonWriter& json) const {
  json.key("ensembles").begin_array();
  for (const Ensemble& one : ensembles_) {
    json.begin_object().member("name", one.name).member("folder", one.folder);
    json.member("files", one.files - one.missing).member("bad", one.bad).key("facts").begin_array();
    for (const auto& [name, value] : one.facts.of(one.files)) json.begin_array().value(name).value(value).end_array();
    json.end_array().end_object();
  }
  json.end_array();
}

void Page::put_histories(JsonWriter& json) {
  std::vector<const std::pair<const std::string, Chain>*> longest;
  for (const auto& entry : chains_) longest.push_back(&entry);
  std::ranges::stable_sort(longest, std::greater(), [](const auto* entry) { return entry->second.plaquettes.size(); });
  if (longest.size() > most_histories) longest.resize(most_histories);
  json.key("histories").begin_array();
  for (const auto* const entry : longest) {
    const auto& [series, chain] = *entry;
    const ChainMean mean = mean_of_chain(chain.plaquettes);
    json.begin_object().member("series", words_.number(series)).member("ensemble", chain.ensemble);
    json.member("count", std::uint64_t{chain.plaquettes.size()}).member("mean", mean.mean);
    json.member("error", mean.error).member("tau", mean.tau).member("tau_error", mean.tau_error);
    json.key("stretches").begin_array();
    for (const ChainStretch& one : stretches_of(chain.trajectories, chain.plaquettes, mean.tau, most_stretches)) {
      json.begin_array().value(one.first).value(one.last).value(one.mean).value(one.error).end_array();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::string Page::data(std::string_view made) {
  JsonWriter json;
  json.begin_object().member("made", made).key("folders").array(folders_);
  put_files(json);
  put_totals(json);
  put_ensembles(json);
  put_histories(json);
  put_observables(json);
  put_damage(json);
  put_assessment(json);
  json.key("words").array(words_.all()).end_object();
  return json.take();
}

bool Page::is_odd(const std::string& path, const std::string& state) const {
  return is_known_to_be_bad(state) || state == "missing" || far_.contains(path);
}

std::pair<std::uint64_t, std::uint64_t> Page::count_rows() const {
  std::uint64_t all = 0, odd = 0;
  Statement rows = database_.prepare(
      "SELECT full_path(path), CASE WHEN missing_since IS NULL THEN state ELSE 'missing' END FROM files");
  while (rows.step()) {
    const std::string path = rows.text(0);
    if (!is_asked_for(path)) continue;
    ++all;
    if (is_odd(path, rows.text(1))) ++odd;
  }
  return {all, odd};
}

void Page::count_file(const Statement& row, const std::string& path, std::int64_t ensemble) {
  const std::string state = row.text(8);
  ++files_;
  ++totals_.states[state];
  if (row.whole(12) != 0) ++totals_.with_parity;
  if (state != "missing") totals_.bytes += static_cast<std::uint64_t>(row.whole(5));
  add_to_chain(row, path, ensemble);
  if (ensemble < 0) return;
  Ensemble& its = ensembles_[static_cast<std::size_t>(ensemble)];
  ++its.files;
  if (state == "missing") ++its.missing;
  if (is_known_to_be_bad(state)) ++its.bad;
}

// All files, or, of very many, those that are not in order before others, and of these evenly as many as there is room
// for: the histories keep their shapes.
void Page::put_files(JsonWriter& json) {
  const auto [all, odd] = count_rows();
  EvenChoice of_odd(odd, all > most_rows ? std::max(most_rows / 2, most_rows - std::min(most_rows, all - odd)) : odd);
  EvenChoice of_others(all - odd, most_rows - std::min(most_rows, odd - of_odd.left_out()));
  totals_.left_out = of_odd.left_out() + of_others.left_out();
  json.key("files").begin_array();
  Statement rows = database_.prepare(
      "SELECT full_path(path) AS full, format, kind, lattice, precision, size, trajectory, "
      "coalesce(measured_plaquette, plaquette), CASE "
      "WHEN "
      "missing_since IS NULL THEN state ELSE 'missing' END, verified_at, coalesce(checksum, computed_checksum), "
      "full_path(series) AS whole_series, "
      "EXISTS (SELECT 1 FROM properties WHERE file_id = files.id AND name = 'parity' AND source = 'sidecar'), id "
      "FROM files ORDER BY whole_series, trajectory, full");
  std::unordered_map<std::int64_t, std::int64_t> ensemble_of_file;
  while (rows.step()) {
    const std::string path = rows.text(0);
    if (!is_asked_for(path)) continue;
    const std::int64_t ensemble = ensemble_of(path);
    if (ensemble >= 0) ensemble_of_file[rows.whole(13)] = ensemble;
    count_file(rows, path, ensemble);
    if (!(is_odd(path, rows.text(8)) ? of_odd : of_others).takes_next()) continue;
    put_file(json, rows, path, ensemble);
    order_.push_back(path);
  }
  json.end_array();
  take_facts(ensemble_of_file);
}

void Page::put_totals(JsonWriter& json) const {
  std::uint64_t gaps = 0;
  for (const ensemble::Gaps& one : assessment_.gaps) gaps += is_asked_for(one.series) ? one.count : 0;
  const auto is_about_these = [&](const auto& one) {
    return std::ranges::any_of(one.paths, [&](const std::string& path) { return is_asked_for(path); });
  };
  const auto count = [&](const auto& all) {
    return static_cast<std::uint64_t>(std::ranges::count_if(all, is_about_these));
  };
  json.key("totals").begin_object().member("files", files_).member("left_out", totals_.left_out);
  json.member("bytes", totals_.bytes).member("parity", totals_.with_parity).member("gaps", gaps);
  json.member("duplicates", count(assessment_.duplicates)).member("remarks", count(assessment_.remarks));
  json.key("states").begin_object();
  for (const auto& [state, number] : totals_.states) json.member(state, number);
  json.end_object().end_object();
}

// In the order in which the script reads it.
void Page::put_file(JsonWriter& json, const Statement& row, const std::string& path, std::int64_t ensemble) {
  const std::size_t slash = path.rfind('/');
  json.begin_array().value(words_.number(path.substr(0, slash))).value(std::string_view(path).substr(slash + 1));
  for (int column = 1; column <= 4; ++column) json.value(words_.number(row.text(column)));
  json.value(row.whole(5)).value(row.optional_whole(6)).value(row.optional_real(7));
  json.value(words_.number(row.text(8)));
  row.is_null(9) ? json.null() : json.value(row.text(9).substr(0, 10));
  row.is_null(10) ? json.null() : json.value(row.text(10));
  json.value(words_.number(row.text(11))).value(far_.contains(path) ? 1 : 0).value(row.whole(12));
  json.value(ensemble).end_array();
}

void Page::add_to_chain(const Statement& row, const std::string& path, std::int64_t ensemble) {
  const std::string state = row.text(8);
  const bool counts = state == "indexed" || state == "sound" || state == "consistent";
  const auto trajectory = row.optional_whole(6);
  const auto plaquette = row.optional_real(7);
  if (!counts || far_.contains(path) || !trajectory || !plaquette || !std::isfinite(*plaquette)) return;
  Chain& chain = chains_[row.text(11)];
  chain.trajectories.push_back(*trajectory);
  chain.plaquettes.push_back(*plaquette);
  chain.ensemble = ensemble;
}

// For each file with values, its number in the list and the values.
void Page::put_observables(JsonWriter& json) const {
  const KnownObservables known = known_observables(database_);
  json.key("observables").begin_object().key("names").begin_array();
  for (const ObservableColumn& column : observable_columns) json.value(column.name);
  json.end_array().key("files").begin_array();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const auto found = known.find(order_[k]);
    if (found == known.end()) continue;
    json.begin_array().value(std::uint64_t{k});
    for (const std::optional<double>& value : found->second) json.value(value);
    json.end_array();
  }
  json.end_array().end_object();
}

void Page::put_damage(JsonWriter& json) {
  json.key("damage").begin_array();
  Statement rows = database_.prepare(
      "SELECT id, full_path(path) AS full, size, state, problem FROM files WHERE missing_since IS NULL AND state IN "
      "('unproven', 'damaged', 'incomplete', 'unreadable') ORDER BY full");
  std::size_t count = 0;
  while (count < most_damaged && rows.step()) {
    const std::string path = rows.text(1);
    if (!is_asked_for(path)) continue;
    put_damaged_file(json, rows.whole(0), path, rows);
    ++count;
  }
  json.end_array();
}

void Page::put_damaged_file(JsonWriter& json, std::int64_t id, const std::string& path, const Statement& row) {
  json.begin_object().member("path", path).member("size", row.whole(2)).member("state", row.text(3));
  json.key("payloads").begin_array();
  Statement fields = database_.prepare("SELECT offset, length FROM fields WHERE file_id = ? ORDER BY number");
  fields.bind(id);
  while (fields.step()) json.begin_array().value(fields.whole(0)).value(fields.whole(1)).end_array();
  json.end_array().key("hurt").begin_array();
  std::vector<std::string> messages;
  const auto add_message = [&](const std::string& message) {
    if (messages.size() < most_messages) messages.emplace_back(without_leading_path(message, path));
  };
  if (!row.is_null(4)) add_message(row.text(4));
  Statement findings = database_.prepare(
      "SELECT DISTINCT message, offset, length FROM findings WHERE file_id = ? AND severity <> 'note' ORDER BY origin, "
      "offset");
  findings.bind(id);
  std::vector<MessageRange> hurt;
  while (findings.step()) {
    add_message(findings.text(0));
    if (!findings.is_null(1)) hurt.push_back({findings.whole(1), findings.whole(2)});
  }
  for (const MessageRange& one : innermost(std::move(hurt))) {
    json.begin_array().value(one.offset).value(one.length).end_array();
  }
  json.end_array().key("messages").array(messages).key("slices").begin_array();
  Statement slices =
      database_.prepare("SELECT DISTINCT slice FROM damaged_slices WHERE file_id = ? ORDER BY slice LIMIT 1000");
  slices.bind(id);
  while (slices.step()) json.value(slices.whole(0));
  json.end_array().end_object();
}

void Page::put_assessment(JsonWriter& json) const {
  json.member("outliers", std::uint64_t{far_.size()}).key("gaps").begin_array();
  std::size_t count = 0;
  for (const ensemble::Gaps& gaps : assessment_.gaps) {
    if (!is_asked_for(gaps.series)) continue;
    if (++count > most_gaps) break;
    const auto shown = static_cast<std::ptrdiff_t>(std::min(gaps.missing.size(), most_missing));
    const std::vector<std::int64_t> first(gaps.missing.begin(), gaps.missing.begin() + shown);
    json.begin_object().member("series", gaps.series).member("first", gaps.first).member("last", gaps.last);
    json.member("step", gaps.step).member("count", gaps.count).key("missing").array(first).end_object();
  }
  json.end_array().key("duplicates").begin_array();
  count = 0;
  for (const ensemble::Duplicates& same : assessment_.duplicates) {
    if (std::ranges::none_of(same.paths, [&](const std::string& path) { return is_asked_for(path); })) continue;
    if (++count > most_duplicates) break;
    const auto shown = static_cast<std::ptrdiff_t>(std::min(same.paths.size(), most_of_a_set));
    const std::vector<std::string> first(same.paths.begin(), same.paths.begin() + shown);
    json.begin_object().member("count", std::uint64_t{same.paths.size()}).key("paths").array(first).end_object();
  }
  json.end_array().key("remarks").begin_array();
  count = 0;
  for (const ensemble::Remark& remark : assessment_.remarks) {
    if (std::ranges::none_of(remark.paths, [&](const std::string& path) { return is_asked_for(path); })) continue;
    if (++count > most_remarks) break;
    json.begin_array().value(remark.rule).value(remark.sentence).end_array();
  }
  json.end_array();
}

void put(JsonWriter& json, std::string_view name, const ChangedFiles& files) {
  json.key(name).begin_object().member("count", files.count).key("paths").array(files.paths).end_object();
}

// The data, and the differences from the previous page's data.
std::string with_changes(std::string data, std::string_view earlier_page) {
  const std::string_view before = data_of_page(earlier_page);
  const auto changes = before.empty() ? std::nullopt : changes_between(before, data);
  if (!changes) return data;
  JsonWriter json;
  json.begin_object().key("changes").begin_object().member("since", changes->since);
  if (changes->is_partial) json.member("is_partial", true);
  put(json, "added", changes->added);
  put(json, "gone", changes->gone);
  put(json, "rewritten", changes->rewritten);
  put(json, "failed", changes->failed);
  put(json, "verified", changes->verified);
  json.end_object().raw_members(data).end_object();
  return json.take();
}

// `text` with the parts named in {{}} filled in; inserted text is not searched again.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string result;
  while (!text.empty()) {
    const std::size_t begin = text.find("{{");
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find("}}", begin);
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    result += std::ranges::find(parts, name, &std::pair<std::string_view, std::string_view>::first)->second;
    text.remove_prefix(end + 2);
  }
  return result;
}

// The existing catalogue; a temporary one in memory if there is none or it is not writable.
Database database_for(const std::string& db) {
  const std::string place = place_of(db);
  std::error_code failure;
  const bool is_there = std::filesystem::exists(place, failure);
  if (!is_there && db.empty()) return make_in_memory();
  Database found = open_existing(place);
  return found.is_writable() ? std::move(found) : make_in_memory(found);
}

}  // namespace

std::string inside_script(std::string json) {
  // "</script>" and "<!--" would end or change the element, even inside JSON strings.
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  return json;
}

std::string inside_html(std::string_view text) { return base::xml::escape(base::printable(text, text.size() * 4)); }

std::string page_text(const Database& database, const std::vector<std::string>& folders, const std::string& title,
                      std::string_view earlier) {
  Page page(database, folders);
  const std::string made = base::utc_text(base::seconds_now());
  const std::string data = inside_script(with_changes(page.data(made), earlier));
  const std::string own_title = page.title();
  const std::string heading = inside_html(!title.empty() ? title : own_title.empty() ? "Ensemble" : own_title);
  const std::string subtitle = fmt::format("{} files, {}", page.files(), made);
  return filled(
      page_frame,
      {{"title", heading}, {"subtitle", subtitle}, {"style", page_style}, {"data", data}, {"script", page_script}});
}

namespace {

// The contents of a file to be replaced; empty if there is none, or it is too large for a page.
std::string text_of(const std::string& path) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 28;
  storage::Transport& transport = storage::resolve(path);
  if (transport.kind(path) != storage::PathKind::file) return {};
  const auto file = transport.open_read(path);
  if (file->size() > largest) return {};
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

// For a catalogue in memory its existing entries.
std::vector<std::string> sources_of(const Database& database) {
  FileStatus status;
  if (status_of(database.path(), status)) return {database.path()};
  std::vector<std::string> paths;
  Statement files = database.prepare("SELECT full_path(path) FROM files");
  while (files.step()) {
    if (status_of(files.text(0), status)) paths.push_back(files.text(0));
  }
  return paths;
}

PageReport write_page(const std::vector<std::string>& folders, const std::string& page,
                      const CatalogueOptions& options) {
  const base::Stopwatch watch;
  Database database = database_for(options.db);
  const ensemble::IndexReport index = bring_up_to_date(database, folders, options);
  std::vector<std::string> full;
  for (const std::string& folder : folders) full.push_back(full_path(folder));
  const std::string text = page_text(database, full, options.title, options.overwrite ? text_of(page) : std::string());
  io::write_text(page, text, options.overwrite, sources_of(database));
  return {page, index.files + index.missing, text.size(), watch.seconds()};
}

}  // namespace lq::ensemble
