// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Multifiles of SIONlib: logical files of many tasks in one or several physical files, no lattice.
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/formats.hpp"
#include "format/sion/head.hpp"
#include "format/sion/scan.hpp"

namespace lq::format::sion {

// Irregularities of a readable multifile (formats/sion.md 9).

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
        fmt::format("file format version {} is newer than {} and is read as that", head.format_version, version)));
  }
  const auto mode = static_cast<std::int32_t>(head.key_value_mode());
  if (mode != static_cast<std::int32_t>(KeyValueMode::none) &&
      mode != static_cast<std::int32_t>(KeyValueMode::inline_records)) {
    findings.add(finding_about(file, Severity::warning, "sion-key-value-mode", 40,
                               fmt::format("key-value mode {} is not written by any known version; the "
                                           "streams are read unchanged",
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

// The size of Limequat's own record at `end`, with the sizes of streams that may follow it; 0: there is none.
std::uint64_t own_tail_bytes(const PhysicalFile& file, std::uint64_t end, const SourceOf& source_of) {
  std::array<std::byte, own_record_bytes> bytes{};
  if (source_of(file).read_at(end, bytes) < bytes.size()) return 0;
  const std::optional<OwnRecord> record = own_record(bytes);
  if (!record || !record->is_tail) return 0;
  const std::uint64_t sizes = 8 * static_cast<std::uint64_t>(file.geometry.tasks());
  const std::uint64_t plain = own_record_bytes + own_loss_bytes * record->losses;
  return file.bytes - end == plain + sizes ? plain + sizes : plain;
}

void check_end(const PhysicalFile& file, bool has_map, std::uint64_t map_entries, const SourceOf& source_of,
               Findings& findings) {
  if (!file.has_table()) return;
  std::uint64_t end =
      file.tail_offset + table_bytes(file.geometry.tasks(), static_cast<std::uint64_t>(file.max_chunks));
  if (has_map) end += 4 + 8 * map_entries;
  // Serial writers end with the size of a map that does not exist.
  if (file.bytes <= end + (has_map ? 0 : 4)) return;
  end += own_tail_bytes(file, end, source_of);
  if (file.bytes == end) return;
  findings.add(finding_about(file, Severity::note, "sion-trailing-bytes", end,
                             fmt::format("{} bytes follow metadata block 2: left from an older, longer file, or an "
                                         "addition that this version does not know",
                                         file.bytes - end)));
}

}  // namespace

void check_set(const Set& set, const SourceOf& source_of, Findings& findings) {
  for (std::size_t k = 0; k < set.files().size(); ++k) {
    const PhysicalFile& file = set.files()[k];
    if (file.is_missing) continue;
    check_head(file, findings);
    check_ranks(file, findings);
    const bool has_map = k == 0 && set.files().size() > 1;
    check_end(file, has_map, static_cast<std::uint64_t>(set.tasks()), source_of, findings);
  }
}

namespace {

class Sion final : public Container {
 public:
  Likeness recognise(base::ByteSource& file) const override;
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return sion::scan(file, limits); }
  std::vector<RecordPiece> pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const override;
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override {
    return catalog.findings;  // the scan checks everything
  }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog&) const override { return sion::explain(file); }
};

// The next word gives the byte order, 0 or 1. Texts that begin with these letters continue with letters.
bool goes_on_as_text(base::Bytes word) {
  return !word.empty() && std::ranges::all_of(word, [](std::byte byte) {
    const auto letter = std::to_integer<unsigned char>(byte);
    return (letter >= 0x20 && letter < 0x7f) || letter == '\t' || letter == '\n' || letter == '\r';
  });
}

Likeness Sion::recognise(base::ByteSource& file) const {
  std::array<std::byte, magic.size() + 4> start{};
  const base::Bytes bytes = base::Bytes(start).first(file.read_at(0, start));
  if (!sion::has_magic(bytes)) return Likeness::no;
  return goes_on_as_text(bytes.subspan(magic.size())) ? Likeness::no : Likeness::yes;
}

std::vector<RecordPiece> Sion::pieces(base::ByteSource& file, const Catalog& catalog, const Record& record) const {
  const auto name = parse_record_name(record.type);
  const bool is_in_one = !name || (!name->key && record.pieces == 1);
  if (is_in_one) return Container::pieces(file, catalog, record);
  return record_pieces(file, *name);
}

}  // namespace

}  // namespace lq::format::sion

const lq::format::Format& lq::format::sion_format() {
  using namespace sion;
  static const Sion sion;
  static constexpr std::array<std::string_view, 1> suffixes{".sion"};
  static const Format row{.info = {"sion", "the streams of tasks", "\"sion\"", suffixes, Contents::streams},
                          .container = &sion};
  return row;
}
