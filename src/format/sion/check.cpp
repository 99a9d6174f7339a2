// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See check.hpp.
#include "format/sion/check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace lq::format::sion {
namespace {

Finding finding_about(const PhysicalFile& file, Severity severity, const char* rule, std::uint64_t offset,
                      const std::string& message) {
  Finding finding;
  finding.severity = severity;
  finding.rule = rule;
  finding.message = fmt::format("\"{}\": {}", file.path, message);
  finding.offset = offset;
  return finding;
}

void check_head(const PhysicalFile& file, Findings& findings) {
  const FixedHead& head = file.head;
  if (head.format_version > version) {
    findings.add(finding_about(
        file, Severity::warning, "sion-version", 16,
        fmt::format("file format version {} is newer than {}, as which it is read", head.format_version, version)));
  }
  const auto mode = static_cast<std::int32_t>(head.key_value_mode());
  if (mode != static_cast<std::int32_t>(KeyValueMode::none) &&
      mode != static_cast<std::int32_t>(KeyValueMode::inline_records)) {
    findings.add(finding_about(file, Severity::warning, "sion-key-value-mode", 40,
                               fmt::format("key-value mode {} was never written by any version that is known; the "
                                           "streams are taken as they are",
                                           mode)));
  }
  const bool has_flags = head.flag2 != 0 || (head.flag1 & 0xffffffff) != 0;
  if (has_flags && head.format_version >= 3) {
    findings.add(
        finding_about(file, Severity::note, "sion-flags", 36,
                      fmt::format("flags are set that no version of the format defines: {:#x}, {:#x}",
                                  static_cast<std::uint64_t>(head.flag1), static_cast<std::uint64_t>(head.flag2))));
  }
}

void check_ranks(const PhysicalFile& file, Findings& findings) {
  std::vector<std::int64_t> ranks;
  std::ranges::copy_if(file.ranks, std::back_inserter(ranks), [](std::int64_t rank) { return rank >= 0; });
  std::ranges::sort(ranks);
  const auto twice = std::ranges::adjacent_find(ranks);
  if (twice == ranks.end()) return;
  findings.add(finding_about(file, Severity::warning, "sion-ranks", ranks_offset(file.head.format_version),
                             fmt::format("two tasks have the global rank {}", *twice)));
}

void check_end(const PhysicalFile& file, bool has_map, std::uint64_t map_entries, Findings& findings) {
  if (!file.has_table()) return;
  std::uint64_t end =
      file.tail_offset + table_bytes(file.geometry.tasks(), static_cast<std::uint64_t>(file.max_chunks));
  if (has_map) end += 4 + 8 * map_entries;
  // Serial writers end with the size of a map that is not there.
  if (file.bytes <= end + (has_map ? 0 : 4)) return;
  findings.add(finding_about(file, Severity::note, "sion-trailing-bytes", end,
                             fmt::format("{} bytes follow metadata block 2: left from an older, longer file, or an "
                                         "addition that this version does not know",
                                         file.bytes - end)));
}

}  // namespace

void check_set(const Set& set, Findings& findings) {
  for (std::size_t k = 0; k < set.files().size(); ++k) {
    const PhysicalFile& file = set.files()[k];
    check_head(file, findings);
    check_ranks(file, findings);
    const bool has_map = k == 0 && set.files().size() > 1;
    check_end(file, has_map, static_cast<std::uint64_t>(set.tasks()), findings);
  }
}

}  // namespace lq::format::sion
