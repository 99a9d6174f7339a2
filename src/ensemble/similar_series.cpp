// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/remarks.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "ensemble/files.hpp"

namespace lq::ensemble {
namespace {

void sort_by_series(std::vector<Member>& members) {
  std::ranges::sort(members, [](const Member& a, const Member& b) {
    return std::tuple(std::string_view(a.series), a.number(), std::string_view(a.path)) <
           std::tuple(std::string_view(b.series), b.number(), std::string_view(b.path));
  });
}

// The files of one series among all members.
struct Part {
  std::size_t begin, end;
  std::size_t size() const noexcept { return end - begin; }
};

std::string last_name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// One remark on parts that are called differently; they become part of the series of most.
void join(const std::vector<Part>& parts, Part most, const char* how, std::vector<Member>& members,
          std::vector<Remark>& remarks) {
  const std::string series = members[most.begin].series;
  Remark remark{"name-differs", series, {}, {}};
  for (const Part& part : parts) {
    for (std::size_t k = part.begin; k < part.end; ++k) {
      members[k].series = series;
      remark.paths.push_back(members[k].path);
    }
  }
  if (remark.paths.empty()) return;
  remark.sentence = fmt::format("{}: {} of the series are called {}, {}", names_text(remark.paths), most.size(),
                                telling_name_of(series), how);
  remarks.push_back(std::move(remark));
}

// "cnof.0790.ildg", "conf_0790.ildg" or "conf.0790.ildg " next to hundreds of "conf.*.ildg". Another suffix, as in
// "conf.0790.ildg.gz", is not misspelt.
bool is_misspelt(const Member& file, std::size_t count, const Member& usual, std::size_t usual_count) {
  constexpr std::size_t most_misspelt = 2, times_more = 20;
  if (count > most_misspelt || usual_count < times_more * count) return false;
  if (!file.in_name || !usual.in_name || file.kind != usual.kind) return false;
  const std::string name = last_name_of(file.series), usual_name = last_name_of(usual.series);
  return !name.starts_with(usual_name + '.') && base::nearest(name, {usual_name}).has_value();
}

}  // namespace

std::vector<Remark> join_similar_series(std::vector<Member>& members) {
  std::map<std::string, std::vector<Part>> same, neighbours;  // by the name in lower case, by the folder
  for (std::size_t begin = 0, end = 0; begin < members.size(); begin = end) {
    while (end < members.size() && members[end].series == members[begin].series) ++end;
    std::string name = members[begin].series;
    const auto last = name.begin() + static_cast<std::ptrdiff_t>(name.rfind('/') + 1);
    neighbours[std::string(name.begin(), last)].push_back({begin, end});
    std::transform(last, name.end(), last, [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    same[std::move(name)].push_back({begin, end});
  }
  std::vector<Remark> remarks;
  for (auto& [name, parts] : same) {
    std::size_t count = 0;
    for (const Part& part : parts) count += part.size();
    const Part most = *std::ranges::max_element(parts, {}, &Part::size);
    if (parts.size() < 2 || most.size() < 3 || most.size() * 3 < count * 2) continue;
    std::erase_if(parts, [&](const Part& part) { return part.begin == most.begin; });
    join(parts, most, "in other upper and lower case", members, remarks);
  }
  for (auto& [folder, parts] : neighbours) {
    const Part most = *std::ranges::max_element(parts, {}, &Part::size);
    std::erase_if(parts, [&](const Part& part) {
      const Member &first = members[part.begin], &usual = members[most.begin];
      return first.series == usual.series || !is_misspelt(first, part.size(), usual, most.size());
    });
    join(parts, most, "which is nearly the same name", members, remarks);
  }
  if (!remarks.empty()) sort_by_series(members);
  return remarks;
}

std::vector<Remark> set_old_versions_apart(std::vector<Member>& members) {
  std::set<std::string_view> paths, series;
  for (const Member& file : members) {
    paths.insert(file.path);
    if (file.in_name) series.insert(file.series);
  }
  std::vector<std::pair<std::size_t, Remark>> found;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const std::string& path = members[k].path;
    const std::string present = without_version_mark(path);
    if (present.empty() || (!paths.contains(present) && !series.contains(parts_of(present).series))) continue;
    found.push_back({k,
                     {"old-version",
                      path,
                      {path},
                      fmt::format("{}: by its name an old or temporary version of {}{}; it belongs to no series", path,
                                  telling_name_of(present), paths.contains(present) ? "" : ", which does not exist")}});
  }
  std::vector<Remark> remarks;
  for (auto& [k, remark] : found) {
    members[k].series = members[k].path;
    remarks.push_back(std::move(remark));
  }
  if (!remarks.empty()) sort_by_series(members);
  return remarks;
}

}  // namespace lq::ensemble
