// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/modes/mend.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/lime/header.hpp"
#include "format/lime/mend.hpp"
#include "format/modes/scan.hpp"

namespace lq::format::modes {
namespace {

constexpr std::array<std::string_view, 5> known_types{type::head, type::index, type::data, type::coefficients,
                                                      type::mode};

void replace(base::EditedSource& file, std::uint64_t offset, const std::vector<std::byte>& bytes) {
  file.replace(offset, bytes.size(), bytes);
}

// The blocks of the index as their records stand in the file, in order, with the modes that belong into them.
std::vector<PlacedBlock> lay_out(const base::ByteSource& file, const std::vector<Record>& records, std::uint64_t entry,
                                 std::uint64_t modes) {
  std::vector<PlacedBlock> blocks;
  std::uint64_t placed = 0;
  for (const Record& record : records) {
    const bool is_block = record.type == type::index && record.data_length >= Block::head_bytes + entry &&
                          record.offset <= file.size() && record.data_length <= file.size() - record.offset &&
                          (record.data_length - Block::head_bytes) % entry == 0;
    if (!is_block || (placed == modes && !blocks.empty())) continue;
    const std::uint64_t room = (record.data_length - Block::head_bytes) / entry;
    if (!blocks.empty()) blocks.back().block.next = record.offset;
    blocks.push_back({{entry, room, placed, std::min(room, modes - placed), 0}, record.offset});
    placed += blocks.back().block.count;
  }
  if (placed == modes && !blocks.empty()) return blocks;
  throw Error(
      Code::truncated,
      fmt::format("{}: there is no index, or none with room for {} modes: the file ends within it; nothing can be "
                  "kept",
                  file.path(), modes),
      {.path = file.path(), .record = std::string(type::index)});
}

}  // namespace

void mend(base::EditedSource& file, const Limits&, Findings& done) {
  const lime::MendedHeaders headers = lime::mend_headers(file, {.types = known_types}, done);
  const std::vector<Record>& records = headers.records;
  const Head head = read_head(file);
  const std::uint64_t entry = entry_bytes(head.description);
  const bool is_in_order = records.size() > 1 && records[0].type == type::head && records[1].type == type::index;
  if (!is_in_order) {
    throw Error(
        Code::malformed,
        fmt::format("{}: the index does not follow the description of the set; nothing can be kept", file.path()),
        {.path = file.path(), .record = std::string(type::index)});
  }
  const std::vector<FoundMode> modes = find_modes(file, head.description, records);
  const std::vector<PlacedBlock> blocks = lay_out(file, records, entry, modes.size());
  const PlacedBlock& last = blocks.back();
  std::uint64_t end = last.offset + last.block.bytes() + lime::padding(last.block.bytes());
  if (!modes.empty()) end = std::max(end, modes.back().end);
  if (end < file.size()) {
    const auto cut = std::ranges::find_if(records, [&](const Record& record) { return record.header_offset >= end; });
    done.warning(
        "repair-modes-cut", cut == records.end() ? records.back() : *cut,
        fmt::format("{} modes are whole; {} bytes behind them were left out", modes.size(), file.size() - end));
    file.replace(end, file.size() - end, {});
  }
  if (head.is_whole && head.size() == modes.size() && scan_set(file, {}).findings.empty()) return;
  const std::vector<std::byte> nothing(static_cast<std::size_t>(entry));
  for (const PlacedBlock& at : blocks) {
    replace(file, at.offset, encode(at.block));
    for (std::uint64_t k = 0; k < at.block.room; ++k) {
      const std::uint64_t number = at.block.first + k;
      const bool is_used = k < at.block.count;
      if (!is_used && number > head.size()) break;
      replace(file, at.offset + Block::head_bytes + k * at.block.entry_bytes,
              is_used ? encode(modes[static_cast<std::size_t>(number)].entry, head.description) : nothing);
    }
  }
  const auto index = std::ranges::find(records, type::index, &Record::type);
  done.warning("repair-modes-index", *index, fmt::format("the index was made anew for {} modes", modes.size()));
}

void store_sums(base::EditedSource& file, const Catalog& catalog, const FieldEntry& entry, const Digest& sums) {
  const Head head = read_head(file);
  const auto number = static_cast<std::uint64_t>(&entry - catalog.fields.data());
  const std::vector<std::byte> bytes =
      encode(Entry{number, entry.payload.offset, mode_of(entry.metadata), sums.sums}, head.description);
  replace(file, catalog.records.at(static_cast<std::size_t>(entry.record) + 1).offset, bytes);
  for (const PlacedBlock& at : head.blocks) {
    if (number < at.block.first || number >= at.block.first + at.block.count) continue;
    replace(file, at.offset + Block::head_bytes + (number - at.block.first) * at.block.entry_bytes, bytes);
  }
}

}  // namespace lq::format::modes
