// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/documents.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/fnv1a.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/record_texts.hpp"

namespace lq::format::scidac {
namespace {

using base::xml::element;

// In QIO's notation. latqcdtools and nthmc refuse a record without a date, and equal fields should give equal files.
constexpr std::string_view undated = "Thu Jan  1 00:00:00 1970 UTC";

std::string number(std::string_view name, std::uint64_t value) { return fmt::format("<{0}>{1}</{0}>", name, value); }

// "4 4 4 8 ", with the trailing blank that QIO writes.
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
  base::fail(Code::malformed, {}, "the hypercube from {} to {} has no sites", to_string(info.lower),
             to_string(info.upper));
}

std::optional<std::uint32_t> sum_from(const base::xml::Element& root, std::string_view name) {
  const auto text = root.text_of(name);
  if (!text || text->empty()) return std::nullopt;
  const auto sum = base::parse_hex32(*text);
  if (sum) return sum;
  const std::string found = base::printable(*text);
  base::fail(Code::malformed, {.expected = "1 to 8 hex digits", .found = found},
             "<{}> holds \"{}\", which is not a number of 1 to 8 hex digits", name, found);
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
    base::fail(Code::malformed, {}, "<spacetime> says {} dimensions, <dims> lists {}", *dimensions,
               info.extents.size());
  }
  // Version 1.0 gives the number of files instead.
  if (const auto files = optional_number(root, "multifile")) info.volume_format = *files > 1 ? 1 : 0;
  if (const auto volume_format = optional_number(root, "volfmt")) info.volume_format = *volume_format;
  return info;
}

RecordInfo decode_record_info(std::string_view text) {
  const base::xml::Element root = parse_document(text, "scidacRecord");
  RecordInfo info;
  std::uint64_t type = optional_number(root, "globaldata").value_or(0) != 0 ? 1 : 0;  // version 1.0
  type = optional_number(root, "recordtype").value_or(type);
  if (type > 2) base::fail(Code::malformed, {}, "<recordtype> {} is unknown; 0, 1 and 2 are defined", type);
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
  // Without both sums only the version remains, as QIO writes it.
  const auto is_more = [](const base::xml::Element& child) { return child.name != "version" && !child.text.empty(); };
  if (std::ranges::any_of(root.children, is_more)) {
    throw Error(Code::malformed, "the document has contents, but not the two sums <suma> and <sumb>",
                {.expected = "<suma> and <sumb>"});
  }
  return std::nullopt;
}

std::string extents_text(const Extents& extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += fmt::format("{} ", extent);
  return text;
}

std::string described_text(std::string_view extents, std::string_view record_xml, std::string_view name,
                           std::string_view site_shape) {
  return fmt::format("{}\n{}\n{}\n{}", extents, record_xml, name, site_shape);
}

std::string sum_of_description(std::string_view described) {
  return fmt::format("fnv1a {:016x}", base::fnv1a(base::as_bytes(described)));
}

std::string encode_description(const Extents& extents, std::string_view record_xml, std::string_view name,
                               std::string_view site_shape) {
  return sum_of_description(described_text(extents_text(extents), record_xml, name, site_shape));
}

namespace {

constexpr std::string_view slices_title = "limequat-slices 1.1", older_slices_title = "limequat-slices 1.0";
constexpr std::string_view total_label = "total";
constexpr std::uint64_t sums_length = 53;  // of a line after its label: four blanks, 8 + 8 + 16 + 16 digits, a newline

// The contents of a line about a slice, and of the last line about all slices.
struct SliceSums {
  Checksum checksum;
  std::uint64_t plain = 0, weighted = 0;
  bool operator==(const SliceSums&) const = default;

  void add(const SliceSums& other) noexcept {
    checksum.suma ^= other.checksum.suma;
    checksum.sumb ^= other.checksum.sumb;
    plain += other.plain;
    weighted += other.weighted;
  }
};

std::string line_of(std::string_view label, const SliceSums& sums) {
  return fmt::format("{} {:08x} {:08x} {:016x} {:016x}\n", label, sums.checksum.suma, sums.checksum.sumb, sums.plain,
                     sums.weighted);
}

[[noreturn]] void fail(const std::string& what, std::string expected, std::string_view found) {
  const std::string shown = base::printable(found);
  base::fail(Code::malformed, {.expected = std::move(expected), .found = shown}, "{}: \"{}\"", what, shown);
}

// Removes one line from the front of `text`.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

struct FirstLine {
  std::uint64_t slices = 0;
  bool has_weights = false;
};

FirstLine read_first(std::string_view line) {
  const auto words = base::split_words(line);
  const bool has_weights = line.starts_with(slices_title),
             is_titled = has_weights || line.starts_with(older_slices_title);
  const auto count = is_titled && words.size() == 3 ? base::parse_u64(words[2]) : std::nullopt;
  if (!count || slices_length(*count) > slices_limit)
    fail("the first line", fmt::format("{} COUNT", slices_title), line);
  return {*count, has_weights};
}

std::optional<std::uint64_t> parse_hex64(std::string_view digits) {
  if (digits.size() != 16) return std::nullopt;
  const auto high = base::parse_hex32(digits.substr(0, 8)), low = base::parse_hex32(digits.substr(8));
  if (!high || !low) return std::nullopt;
  return (std::uint64_t{*high} << 32) | *low;
}

// Up to six, which are more than a line has: a field has many lines.
struct Words {
  std::array<std::string_view, 6> word{};
  std::size_t number = 0;
};

Words words_in(std::string_view line) noexcept {
  constexpr std::string_view white = " \t\n\v\f\r";
  Words words;
  for (std::size_t at = line.find_first_not_of(white); at < line.size() && words.number < words.word.size();) {
    const std::size_t end = std::min(line.find_first_of(white, at), line.size());
    words.word[words.number++] = line.substr(at, end - at);
    at = line.find_first_not_of(white, end);
  }
  return words;
}

SliceSums read_sums(std::string_view line, std::string_view label, bool has_weights) {
  const auto [words, number] = words_in(line);
  const bool is_whole = number == (has_weights ? 5U : 3U) && words[0] == label;
  const auto suma = is_whole ? base::parse_hex32(words[1]) : std::nullopt;
  const auto sumb = is_whole ? base::parse_hex32(words[2]) : std::nullopt;
  const auto plain = is_whole && has_weights ? parse_hex64(words[3]) : std::nullopt;
  const auto weighted = is_whole && has_weights ? parse_hex64(words[4]) : std::nullopt;
  if (!suma || !sumb || (has_weights && (!plain || !weighted))) {
    fail(fmt::format("the line \"{}\"", label),
         fmt::format("{} SUMA SUMB{}", label, has_weights ? " SUM WEIGHTED" : ""), line);
  }
  return {{*suma, *sumb}, plain.value_or(0), weighted.value_or(0)};
}

}  // namespace

std::uint64_t slices_length(std::uint64_t slices) noexcept {
  if (slices > slices_limit) return slices;
  std::uint64_t digits = 0;
  for (std::uint64_t power = 1; power < slices || power == 1; power *= 10) {
    digits += slices - (power == 1 ? 0 : power);  // one more digit for each number from 10, 100, ...
  }
  return slices_title.size() + 2 + fmt::formatted_size("{}", slices) + digits + sums_length * slices +
         total_label.size() + sums_length;
}

std::string encode_slices(const Sums& sums) {
  const std::vector<Checksum> slices = sums.slices();
  const Sum* const weights = sums.find(slice_weights);
  if (weights == nullptr || weights->values() != slices.size()) {
    base::fail(Code::internal, {}, "the weighted sums of {} slices were not computed", slices.size());
  }
  std::string text = fmt::format("{} {}\n", slices_title, slices.size());
  SliceSums total;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const std::uint32_t* const word = weights->words.data() + words_of(SumKind::weighted) * i;
    const auto pair = [&](std::size_t first) { return (std::uint64_t{word[first]} << 32) | word[first + 1]; };
    const SliceSums slice{slices[i], pair(0), pair(2)};
    text += line_of(fmt::format_int(i).c_str(), slice);
    total.add(slice);
  }
  return text + line_of(total_label, total);
}

Sums decode_slices(std::string_view text) {
  text = base::trim(text);
  const FirstLine first = read_first(take_line(text));
  std::vector<Checksum> slices;
  Sum weights{slice_weights};
  SliceSums total;
  while (slices.size() < first.slices) {
    const SliceSums slice = read_sums(take_line(text), fmt::format_int(slices.size()).c_str(), first.has_weights);
    slices.push_back(slice.checksum);
    for (const std::uint64_t sum : {slice.plain, slice.weighted}) {
      weights.words.insert(weights.words.end(),
                           {static_cast<std::uint32_t>(sum >> 32), static_cast<std::uint32_t>(sum)});
    }
    total.add(slice);
  }
  const std::string_view last = first.has_weights ? take_line(text) : std::string_view{};
  if (first.has_weights && read_sums(last, total_label, true) != total) {
    fail("the last line", line_of(total_label, total), last);
  }
  if (!text.empty()) fail("lines after the last one", fmt::format("{} slices", first.slices), take_line(text));
  Sums sums;
  sums.set_slices(slices);
  if (first.has_weights) sums.set(std::move(weights));
  return sums;
}

}  // namespace lq::format::scidac
