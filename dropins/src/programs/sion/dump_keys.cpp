// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Key-value records.
#include <functional>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "format/sion/stream.hpp"
#include "programs/sion/dump.hpp"
#include "programs/sion/tool.hpp"

namespace lq::programs {
namespace {

using format::sion::KeyRecord;
using format::sion::KeyWalker;
using format::sion::Set;

// All tasks with a walk over their records, between two rules.
void for_each_task(const Set& set, const std::function<void(std::int32_t task, KeyWalker& records)>& work) {
  print_rule(long_rule);
  const format::sion::KeyValueMode mode = set.files().front().head.key_value_mode();
  if (mode != format::sion::KeyValueMode::inline_records) return;
  for (std::int32_t task = 0; task < set.tasks(); ++task) {
    const auto& file = set.file_of(task);
    const auto source = open_file(file.path);
    KeyWalker records = format::sion::walk_records(file, set.place(task).task, *source);
    work(task, records);
  }
  print_rule(long_rule);
}

}  // namespace

void print_key_statistics(const Set& set) {
  struct Statistics {
    std::uint64_t key = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
  };
  for_each_task(set, [](std::int32_t task, KeyWalker& records) {
    std::vector<Statistics> keys;  // in the order in which they first appear
    std::map<std::uint64_t, std::size_t> places;
    while (const auto record = records.next()) {
      const auto [place, is_new] = places.try_emplace(record->key, keys.size());
      if (is_new) keys.push_back({record->key});
      Statistics& statistics = keys[place->second];
      ++statistics.records;
      statistics.bytes += record->length;
    }
    for (std::size_t number = 0; number < keys.size(); ++number) {
      fmt::print("Task {:02}: key[{:02}]={:8}: #blocks={:6} totalsize={:10}\n", task, number, keys[number].key,
                 keys[number].records, keys[number].bytes);
    }
  });
}

void print_key_list(const Set& set) {
  constexpr std::uint64_t in_a_line = 5;
  for_each_task(set, [](std::int32_t task, KeyWalker& records) {
    fmt::print("Task {:02}:", task);
    std::uint64_t number = 0;
    while (const auto record = records.next()) {
      if (number > 0 && number % in_a_line == 0) fmt::print("\n       :");
      fmt::print(" [{:02}:k=<{}>,size={}]", number++, record->key, record->length);
    }
    fmt::print("\n");
  });
}

}  // namespace lq::programs
