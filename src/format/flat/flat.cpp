// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/flat/flat.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::format::flat {
namespace {

Record record_of(std::string type, std::uint64_t number, std::uint64_t offset, std::uint64_t length) {
  Record record;
  record.type = std::move(type);
  record.message = 1;
  record.number = number;
  record.header_offset = record.offset = offset;
  record.data_length = length;
  return record;
}

bool has_data_file(const Head& head) noexcept { return head.payload.file == 1; }

}  // namespace

bool is_measured(std::string_view name) noexcept { return name == "plaquette" || name == "link_trace"; }

std::string header_type(std::string_view format) { return fmt::format("{}-header", format); }
std::string data_type(std::string_view format) { return fmt::format("{}-data", format); }

void set_length(Payload& payload) {
  for (const std::int64_t extent : payload.extents) {
    if (extent < 1) {
      base::fail(Code::malformed, {}, "the header states the lattice {}; extents are 1 and more",
                 to_string(payload.extents));
    }
  }
  if (payload.stored.extents.size() == 0) payload.stored = whole(payload.extents);
  payload.length = base::multiply_or_throw(payload.stored.volume(), payload.site_bytes(), "the size of the field");
  base::add_or_throw(payload.offset, payload.length, "the size of the file");
}

Catalog FlatFormat::scan(base::ByteSource& file, const Limits& limits) const {
  Catalog catalog;
  catalog.path = file.path();
  catalog.format = name();
  catalog.file_bytes = file.size();
  Findings findings;
  try {
    std::optional<Head> head = read(file, limits, findings);
    std::uint64_t begin = 0, number = 0;
    while (head && take(catalog, *head, begin, findings)) {
      const Payload& payload = catalog.fields.back().payload;
      if (!catalog.files.empty()) break;
      begin = payload.offset + payload.length;
      head = read_further(file, ++number, begin);
    }
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
    const Record header = record_of(header_type(name()), 1, 0, 0);
    findings.error(error.code(), fmt::format("{}-header", name()), header, error.what(), error.facts().expected,
                   error.facts().found);
    catalog.complete = error.code() != Code::truncated;
    catalog.findings = findings.take();
    return catalog;
  }
  if (catalog.complete && catalog.files.empty()) {
    const Record& data = catalog.records.back();
    const std::uint64_t end = data.offset + data.data_length;
    if (catalog.file_bytes > end) report_trailing(catalog, data, findings);
  }
  catalog.findings = findings.take();
  return catalog;
}

// If no sum proves that the data are complete, an extent may be damaged, and there may be more data.
void FlatFormat::report_trailing(const Catalog& catalog, const Record& data, Findings& findings) const {
  const std::uint64_t end = data.offset + data.data_length;
  const std::string rule = fmt::format("{}-trailing-bytes", name());
  const std::uint64_t more = catalog.file_bytes - end;
  const std::string sentence =
      fmt::format("{} the data; no program reads {}",
                  more == 1 ? "1 byte follows" : fmt::format("{} bytes follow", more), more == 1 ? "it" : "them");
  const std::string expected = fmt::format("{} bytes", end), found = fmt::format("{} bytes", catalog.file_bytes);
  if (catalog.fields.back().sums.all.empty()) {
    findings.error(Code::ok, rule, data, sentence + "; the size of the lattice may be damaged, which no sum shows",
                   expected, found);
  } else {
    findings.warning(rule, data, sentence, expected, found);
  }
}

// The field of this header, which begins at byte `begin`. False: the file ends before its data do.
bool FlatFormat::take(Catalog& catalog, Head& head, std::uint64_t begin, Findings& findings) const {
  const Payload& payload = head.payload;
  const std::uint64_t end = payload.offset + payload.length, number = catalog.records.size() + 1;
  if (head.files.empty()) {
    catalog.records.push_back(record_of(header_type(name()), number, begin, payload.offset - begin));
    catalog.records.push_back(record_of(data_type(name()), number + 1, payload.offset, payload.length));
  } else if (has_data_file(head)) {
    take_data_file(catalog, head);
  } else {
    take_blocks(catalog, head);
  }
  const Record& data = catalog.records.at(number);
  if (head.files.empty() && catalog.file_bytes < end) {
    catalog.complete = false;
    findings.error(Code::truncated, fmt::format("{}-truncated", name()), data,
                   fmt::format("the header announces a file of {} bytes, but it has {}; copy it again from its source",
                               end, catalog.file_bytes),
                   fmt::format("{} bytes", end), fmt::format("{} bytes", catalog.file_bytes));
    return false;
  }
  FieldEntry entry;
  entry.name = head.name.empty() ? std::string(default_name(payload.spec.kind)) : std::move(head.name);
  entry.payload = std::move(head.payload);
  entry.record = number;
  entry.sums = std::move(head.sums);
  entry.plaquette = head.plaquette;
  entry.link_trace = head.link_trace;
  entry.metadata = std::move(head.metadata);
  catalog.fields.push_back(std::move(entry));
  return true;
}

// The headers of all files, and the data, which are in as many pieces.
void FlatFormat::take_blocks(Catalog& catalog, Head& head) const {
  const std::vector<Tile>& tiles = head.payload.tiles;
  std::vector<std::uint64_t> begins(head.files.size(), ~std::uint64_t{0});  // of the data, in each file
  for (const Tile& tile : tiles) {
    std::uint64_t& begin = begins[static_cast<std::size_t>(tile.file)];
    begin = std::min(begin, tile.offset);
  }
  catalog.file_bytes = head.payload.length;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    Record header = record_of(header_type(name()), catalog.records.size() + 1, 0, begins[k]);
    header.file = static_cast<int>(k);
    catalog.file_bytes += begins[k];
    catalog.records.push_back(std::move(header));
    if (k > 0) continue;
    catalog.records.push_back(record_of(data_type(name()), 2, begins[k], head.payload.length));
    catalog.records.back().pieces = tiles.size();
  }
  catalog.files = std::move(head.files);
}

// Its sites may be distributed over several arrays, but these are contiguous in the file.
void FlatFormat::take_data_file(Catalog& catalog, Head& head) const {
  const Payload& payload = head.payload;
  const bool is_one_piece = payload.tiles.empty();
  const std::uint64_t begin = is_one_piece ? payload.offset : payload.tiles.front().offset;
  const std::uint64_t end =
      is_one_piece ? begin + payload.length : payload.tiles.back().offset + payload.tiles.back().bytes;
  catalog.records.push_back(record_of(header_type(name()), 1, 0, catalog.file_bytes));
  catalog.records.push_back(record_of(data_type(name()), 2, begin, end - begin));
  catalog.records.back().file = payload.file;
  catalog.file_bytes += head.data_file_bytes;
  catalog.files = std::move(head.files);
}

std::vector<RecordPiece> FlatFormat::pieces(base::ByteSource& file, const Catalog& catalog,
                                            const Record& record) const {
  if (record.pieces == 1) return Container::pieces(file, catalog, record);
  std::vector<RecordPiece> all;
  for (const Tile& tile : catalog.fields.front().payload.tiles) all.push_back({tile.file, tile.offset, tile.bytes});
  return all;
}

std::optional<Head> FlatFormat::read_further(base::ByteSource&, std::uint64_t, std::uint64_t) const { return {}; }

// The scan checks the few rules.
std::vector<Finding> FlatFormat::validate(base::ByteSource&, const Catalog& catalog) const { return catalog.findings; }

std::vector<Annotation> FlatFormat::explain(base::ByteSource& file, const Catalog& catalog) const {
  const std::uint64_t all = file.size();
  if (catalog.fields.empty()) {
    if (all == 0) return {};
    return {{0, all, "file", "cannot be read: see lq validate", std::string(data_section())}};
  }
  Findings ignored;
  std::vector<Annotation> parts;
  std::optional<Head> head = read(file, {}, ignored);
  std::uint64_t end = 0;
  for (std::uint64_t number = 1; head; ++number) {
    const Payload& payload = head->payload;
    if (has_data_file(*head)) return std::move(head->parts);
    const bool in_blocks = !head->files.empty();
    const std::uint64_t sites = payload.stored.volume() / (in_blocks ? head->files.size() : 1);
    std::ranges::move(head->parts, std::back_inserter(parts));
    const std::uint64_t begin = in_blocks ? parts.back().offset + parts.back().length : payload.offset;
    end = begin + sites * payload.site_bytes();
    parts.push_back({begin, end - begin, "data", fmt::format("{} sites of {} bytes", sites, payload.site_bytes()),
                     std::string(data_section())});
    if (in_blocks || number >= catalog.fields.size()) break;
    head = read_further(file, number, end);
  }
  if (all > end) parts.push_back({end, all - end, "trailing bytes", "", std::string(data_section())});
  return parts;
}

Layout FlatFormat::plan_record(const RecordRequest&) const {
  base::fail(Code::unsupported, {},
             "files of format \"{}\" are a header and the numbers of one field; they cannot hold your own records: use "
             "ildg, scidac or hdf5",
             name());
}

void FlatFormat::store_sums(base::EditedSource&, const Catalog& catalog, const FieldEntry&, const Digest&) const {
  base::fail(Code::unsupported, {.path = catalog.path},
             "sums of files of format \"{}\" are written with the data only; convert the file", name());
}

Literal literal_at(std::uint64_t offset, std::string_view bytes) {
  const base::Bytes all = base::as_bytes(bytes);
  return {0, offset, {all.begin(), all.end()}};
}

Layout layout_of(std::string_view header, Payload payload) {
  payload.offset = header.size();
  set_length(payload);
  Layout layout;
  layout.head = {literal_at(0, header)};
  layout.end = {base::add_or_throw(payload.offset, payload.length, "the size of the file")};
  layout.payload = {std::move(payload)};
  return layout;
}

void refuse(std::string_view format, std::string_view holds, const std::string& what) {
  base::fail(Code::unsupported, {}, "format \"{}\" holds {}, {}; use ildg, scidac or hdf5", format, holds, what);
}

void require_alone(const FieldRequest& request, std::string_view format, std::string_view holds) {
  if (!request.first || request.offset > 0) refuse(format, holds, "and this file has one already");
  if (request.stored && *request.stored != whole(request.extents)) refuse(format, holds, "not a part of one");
}

void require_gauge(const FieldRequest& request, std::string_view format, std::string_view holds) {
  const FieldSpec& spec = request.spec;
  if (spec.kind != FieldKind::gauge) refuse(format, holds, fmt::format("not a {} field", lq::name(spec.kind)));
  if (request.extents.size() != 4) refuse(format, holds, fmt::format("not in {}", request.extents.size()));
  if (spec.links != 4) refuse(format, holds, fmt::format("with four links per site, not {}", spec.links));
  if (spec.colors < 2) refuse(format, holds, fmt::format("of SU(2) and up, not SU({})", spec.colors));
  require_alone(request, format, holds);
}

void require_held(const FieldRequest& request, const Metadata& held, std::string_view format) {
  for (const auto& text : request.metadata) {
    if (is_measured(text.first) || std::ranges::find(held, text) != held.end()) continue;
    base::fail(Code::unsupported, {.record = base::printable(text.first)},
               "format \"{}\" cannot store the text \"{}\"; omit it, or use ildg, scidac or hdf5", format,
               base::printable(text.first));
  }
}

void leave_third_rows_out(Payload& payload) {
  const auto row = static_cast<std::uint32_t>(2 * payload.spec.colors),
             matrix = row * static_cast<std::uint32_t>(payload.spec.colors);
  payload.codec.order.clear();
  for (std::uint32_t link = 0; link < static_cast<std::uint32_t>(payload.spec.links); ++link) {
    for (std::uint32_t k = 0; k < matrix - row; ++k) payload.codec.order.push_back(link * matrix + k);
  }
  payload.codec.third_rows_missing = true;
}

namespace {

std::string text_of_matrices(const Payload& payload) {
  return fmt::format("{} of SU({}) in {} precision", payload.codec.third_rows_missing ? "two rows" : "whole matrices",
                     payload.spec.colors, lq::name(payload.spec.precision));
}

Payload with_matrices(Payload payload, int colors, bool two_rows, Precision precision) {
  payload.spec.colors = colors;
  payload.spec.precision = precision;
  payload.spec.numbers = static_cast<std::uint64_t>(2 * payload.spec.links * colors * colors);
  payload.codec = {};
  if (two_rows) leave_third_rows_out(payload);
  payload.length = base::checked_multiply(payload.stored.volume(), payload.site_bytes()).value_or(0);
  return payload;
}

}  // namespace

std::string fit_matrices(Payload& payload, base::ByteSource& file) {
  constexpr int most_colors = 16;
  const std::uint64_t all = file.size(), bytes = all - std::min(all, payload.offset);
  if (payload.spec.kind != FieldKind::gauge || payload.length == bytes || bytes == 0) return {};
  const auto looks = likely_precision(file, payload.offset, bytes, payload.byte_order);
  for (const Precision precision : {Precision::single, Precision::double_}) {
    if (looks && *looks != precision) continue;
    for (int colors = 2; colors <= most_colors; ++colors) {
      for (const bool two_rows : {false, true}) {
        if (two_rows && colors != 3) continue;
        Payload other = with_matrices(payload, colors, two_rows, precision);
        if (other.length != bytes) continue;
        std::string sentence = fmt::format(
            "the header announces {}, {} bytes, but there are {}, exactly the size of {}; they are read as that",
            text_of_matrices(payload), payload.length, bytes, text_of_matrices(other));
        payload = std::move(other);
        return sentence;
      }
    }
  }
  return {};
}

std::vector<std::uint32_t> link_order(const std::vector<int>& directions, std::uint32_t numbers) {
  std::vector<std::uint32_t> order;
  for (const int mu : directions) {
    for (std::uint32_t k = 0; k < numbers; ++k) order.push_back(static_cast<std::uint32_t>(mu) * numbers + k);
  }
  return order;
}

}  // namespace lq::format::flat
