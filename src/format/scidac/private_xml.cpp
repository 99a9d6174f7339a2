// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/private_xml.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/xml_fields.hpp"

namespace lq::format::scidac {
namespace {

using base::xml::element;

// In the words of QIO. latqcdtools and nthmc refuse a record without a date, and equal fields are to give equal files.
constexpr std::string_view undated = "Thu Jan  1 00:00:00 1970 UTC";

std::string number(std::string_view name, std::uint64_t value) { return fmt::format("<{0}>{1}</{0}>", name, value); }

// "4 4 4 8 ", with the blank after the last one that QIO writes.
std::string numbers(std::string_view name, const Coord& values) {
  std::string text;
  for (const std::int64_t value : values) text += fmt::format("{} ", value);
  return fmt::format("<{0}>{1}</{0}>", name, text);
}

std::string document(std::string_view root, std::string_view version, const std::string& children) {
  return fmt::format("{0}<{1}><version>{2}</version>{3}</{1}>", xml_declaration, root, version, children) + '\0';
}

void decode_bounds(const base::xml::Element& root, RecordInfo& info) {
  info.lower = required_coord(root, "hyperlower");
  info.upper = required_coord(root, "hyperupper");
  bool ordered = info.lower.size() == info.upper.size();
  for (int d = 0; ordered && d < info.lower.size(); ++d) ordered = info.lower[d] <= info.upper[d];
  if (ordered) return;
  throw Error(Code::malformed,
              fmt::format("the hypercube from {} to {} has no sites", to_string(info.lower), to_string(info.upper)));
}

std::optional<std::uint32_t> sum_from(const base::xml::Element& root, std::string_view name) {
  const auto text = root.text_of(name);
  if (!text || text->empty()) return std::nullopt;
  const auto sum = base::parse_hex32(*text);
  if (sum) return sum;
  const std::string found = base::printable(*text);
  throw Error(Code::malformed,
              fmt::format("<{}> holds \"{}\", which is not a number of 1 to 8 hex digits", name, found),
              {.expected = "1 to 8 hex digits", .found = found});
}

}  // namespace

std::string encode(const FileInfo& info) {
  const auto dimensions = static_cast<std::uint64_t>(info.extents.size());
  return document(
      "scidacFile", "1.1",
      number("spacetime", dimensions) + numbers("dims", info.extents) + number("volfmt", info.volume_format));
}

std::string encode(const RecordInfo& info) {
  std::string children = element("date", info.date.empty() ? undated : info.date);
  children += number("recordtype", static_cast<std::uint64_t>(info.type));
  if (info.type == RecordType::hypercube) {
    children += number("spacetime", static_cast<std::uint64_t>(info.lower.size()));
    children += numbers("hyperlower", info.lower) + numbers("hyperupper", info.upper);
  }
  children += element("datatype", info.datatype) + element("precision", info.precision);
  if (info.colors != 0) children += number("colors", info.colors);
  if (info.spins != 0) children += number("spins", info.spins);
  return document("scidacRecord", "1.1",
                  children + number("typesize", info.typesize) + number("datacount", info.datacount));
}

std::string encode(const Checksum& checksum) {
  return document("scidacChecksum", "1.0",
                  element("suma", base::hex32(checksum.suma)) + element("sumb", base::hex32(checksum.sumb)));
}

FileInfo decode_file_info(std::string_view text) {
  const base::xml::Element root = parse_document(text, "scidacFile");
  FileInfo info;
  info.extents = required_coord(root, "dims");
  check_extents(info.extents, "dims");
  const auto dimensions = optional_number(root, "spacetime");
  if (dimensions && *dimensions != static_cast<std::uint64_t>(info.extents.size())) {
    throw Error(Code::malformed,
                fmt::format("<spacetime> says {} dimensions, <dims> lists {}", *dimensions, info.extents.size()));
  }
  // Version 1.0 counts files instead.
  if (const auto files = optional_number(root, "multifile")) info.volume_format = *files > 1 ? 1 : 0;
  if (const auto volume_format = optional_number(root, "volfmt")) info.volume_format = *volume_format;
  return info;
}

RecordInfo decode_record_info(std::string_view text) {
  const base::xml::Element root = parse_document(text, "scidacRecord");
  RecordInfo info;
  std::uint64_t type = optional_number(root, "globaldata").value_or(0) != 0 ? 1 : 0;  // version 1.0
  type = optional_number(root, "recordtype").value_or(type);
  if (type > 2) throw Error(Code::malformed, fmt::format("<recordtype> {} is unknown; 0, 1 and 2 are defined", type));
  info.type = static_cast<RecordType>(type);
  if (info.type == RecordType::hypercube) decode_bounds(root, info);
  info.date = root.text_of("date").value_or("");
  info.datatype = root.text_of("datatype").value_or("");
  info.precision = root.text_of("precision").value_or("");
  info.colors = optional_number(root, "colors").value_or(0);
  info.spins = optional_number(root, "spins").value_or(0);
  info.typesize = required_number(root, "typesize");
  info.datacount = required_number(root, "datacount");
  return info;
}

std::optional<Checksum> decode_checksum(std::string_view text) {
  const base::xml::Element root = parse_document(text, "scidacChecksum");
  const auto suma = sum_from(root, "suma");
  const auto sumb = sum_from(root, "sumb");
  if (suma && sumb) return Checksum{*suma, *sumb};
  // Without both sums there is nothing but the version, as QIO writes it.
  const auto is_more = [](const base::xml::Element& child) { return child.name != "version" && !child.text.empty(); };
  if (std::ranges::any_of(root.children, is_more)) {
    throw Error(Code::malformed, "the document holds something, but not the two sums <suma> and <sumb>",
                {.expected = "<suma> and <sumb>"});
  }
  return std::nullopt;
}

}  // namespace lq::format::scidac
