// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The NERSC archive format: one gauge field behind a header of text (docs/formats/nersc.md).

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <limequat/version.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"

namespace lq::format::nersc {
namespace {

// The lines of a NERSC header: the description of the numbers, and texts that accompany a field (formats/nersc.md 2,
// 3).

constexpr std::string_view begin_line = "BEGIN_HEADER";
constexpr std::string_view end_line = "END_HEADER";
constexpr std::size_t most_header_bytes = 64 * 1024;

// The parts of DATATYPE: "4D_SU3_GAUGE_3x3".
struct Datatype {
  int dimensions = 4;
  int colors = 3;
  bool whole_matrices = false;  // no rows are omitted
};

// The parts of FLOATING_POINT; no byte order: IEEE32 and IEEE64, which programs interpret differently.
struct FloatingPoint {
  Precision precision = Precision::single;
  std::optional<ByteOrder> order = {};
};

// Texts that accompany a field, as lines of a NERSC header (formats/nersc.md 3).

// The text with the header of another NERSC file, whose lines are copied to a new file.
constexpr std::string_view header_text = "nersc-header";

// Removes a number from the front.
std::optional<int> take_number(std::string_view& text) noexcept {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view what) noexcept {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3
std::optional<Datatype> datatype_in(std::string_view text) {
  const auto dimensions = take_number(text);
  if (!dimensions || !take(text, "D_SU")) return {};
  const auto colors = take_number(text);
  if (!colors || !take(text, "_GAUGE")) return {};
  const bool whole = text == fmt::format("_{}x{}", *colors, *colors);
  if (!whole && !text.empty()) return {};
  return Datatype{*dimensions, *colors, whole};
}

// malformed, unsupported: unknown.
Datatype parse_datatype(std::string_view text) {
  const auto found = datatype_in(text);
  if (!found || found->colors < 2 || found->colors > 100) {
    base::fail(found ? Code::malformed : Code::unsupported,
               {.expected = "4D_SU3_GAUGE_3x3", .found = base::printable(text)},
               "unsupported DATATYPE {}; expected 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3 or the corresponding names for SU(N)",
               base::printable(text));
  }
  if (found->dimensions < 1 || found->dimensions > max_dimensions) {
    base::fail(Code::unsupported, {}, "lattices of {} dimensions are not read; expected 1 to {}", found->dimensions,
               max_dimensions);
  }
  return *found;
}

FloatingPoint parse_floating_point(std::string_view text) {
  std::string_view rest = text;
  FloatingPoint result;
  if (take(rest, "IEEE32")) {
    result.precision = Precision::single;
  } else if (take(rest, "IEEE64")) {
    result.precision = Precision::double_;
  } else {
    rest = "?";
  }
  if (rest == "BIG") {
    result.order = ByteOrder::big;
  } else if (rest == "LITTLE") {
    result.order = ByteOrder::little;
  } else if (!rest.empty()) {
    base::fail(Code::malformed, {.expected = "IEEE64BIG", .found = base::printable(text)},
               "FLOATING_POINT {} is none of IEEE32BIG, IEEE32LITTLE, IEEE64BIG, IEEE64LITTLE, IEEE32, IEEE64",
               base::printable(text));
  }
  return result;
}

// Readers skip unknown lines, some of them with buffers of 100 characters for a line: long texts are split,
// and bytes that are not printable characters become %XX. PyQUDA and PyLatticeIO split every line at its equals signs
// and refuse more than one: no value written here has any.

constexpr std::string_view own_prefix = "LIMEQUAT_TEXT_";
constexpr std::size_t most_text_bytes = 16 * 1024;  // of all texts together
constexpr std::size_t piece_bytes = 24;             // before they are encoded, so that lines stay below 100 characters

// Lines that the writer determines.
constexpr std::array<std::string_view, 17> of_numbers{
    "HDR_VERSION", "DATATYPE",    "STORAGE_FORMAT", "DIMENSION_1",      "DIMENSION_2",     "DIMENSION_3",
    "DIMENSION_4", "DIMENSION_5", "DIMENSION_6",    "DIMENSION_7",      "DIMENSION_8",     "LINK_TRACE",
    "PLAQUETTE",   "CHECKSUM",    "FLOATING_POINT", "SCIDAC_CHECKSUMA", "SCIDAC_CHECKSUMB"};

bool is_of_numbers(std::string_view key) noexcept {
  return key.empty() || key == begin_line || std::ranges::find(of_numbers, key) != of_numbers.end();
}

// Lines that the writer adds itself.
bool is_usual(const flat::HeaderLine& line) noexcept {
  return (line.key.starts_with("BOUNDARY_") && line.value == "PERIODIC") ||
         (line.key == "CREATOR" && line.value.starts_with("limequat "));
}

std::string encode(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const bool is_plain = c > ' ' && c <= '~' && c != '%' && c != '=';
    text += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

std::string decode(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const auto code = text.size() >= 3 && text[0] == '%' ? base::parse_hex32(text.substr(1, 2)) : std::nullopt;
    bytes += code ? static_cast<char>(*code) : text[0];
    text.remove_prefix(code ? 3 : 1);
  }
  return bytes;
}

// A line ENSEMBLE_ID = text that can be stored verbatim.
bool is_line(std::string_view key, std::string_view value) noexcept {
  const auto is_key = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  const auto is_value = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  return !key.empty() && key.size() <= 40 && value.size() <= 200 && std::ranges::all_of(key, is_key) &&
         std::ranges::all_of(value, is_value) && !is_of_numbers(key) && !key.starts_with(own_prefix);
}

// A text as lines of this library.
std::string encoded_lines(std::string_view name, std::string_view text) {
  std::string lines = fmt::format("{}NAME = {}\n", own_prefix, encode(name));
  for (; !text.empty(); text.remove_prefix(std::min(piece_bytes, text.size()))) {
    lines += fmt::format("{}MORE = {}\n", own_prefix, encode(text.substr(0, piece_bytes)));
  }
  return lines;
}

// The lines of another header that do not describe numbers; those that cannot be stored verbatim become a text.
std::string other_lines(std::string_view text) {
  std::string lines, kept;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = base::trim(line.substr(0, equals)), value = base::trim(line.substr(equals + 1));
    if (is_line(key, value)) {
      lines += fmt::format("{} = {}\n", key, value);
    } else if (value.find('=') != std::string_view::npos && !is_of_numbers(key) && !key.starts_with(own_prefix)) {
      kept += fmt::format("{} = {}\n", key, value);
    }
  }
  return kept.empty() ? lines : lines + encoded_lines(header_text, kept);
}

// The texts of a header: its own lines as one text, and texts that this library put there.
Metadata texts_of(const flat::TextHeader& header) {
  Metadata texts;
  std::string lines;
  for (const flat::HeaderLine& line : header.lines) {
    if (line.key.empty()) continue;
    if (!line.key.starts_with(own_prefix)) {
      if (is_of_numbers(line.key) || is_usual(line)) continue;
      lines += fmt::format("{} = {}\n", base::printable(line.key), base::printable(line.value, most_header_bytes));
      continue;
    }
    // LIMEQUAT_TEXT_NAME begins a text, LIMEQUAT_TEXT_MORE continues it.
    if (line.key.ends_with("NAME")) {
      texts.emplace_back(decode(line.value), "");
    } else if (!texts.empty()) {
      texts.back().second += decode(line.value);
    }
  }
  // The lines of one header, in whichever form they were stored.
  std::erase_if(texts, [&](const auto& text) {
    if (text.first == header_text) lines += text.second;
    return text.first == header_text;
  });
  if (!lines.empty()) texts.emplace(texts.begin(), header_text, lines);
  return texts;
}

// The texts that a header can store.
Metadata held_texts(const Metadata& texts) {
  Metadata held;
  std::size_t bytes = 0;
  for (const auto& text : texts) {
    if (flat::is_measured(text.first)) continue;
    bytes += text.first.size() + text.second.size();
    if (bytes > most_text_bytes) break;
    held.push_back(text);
  }
  return held;
}

// The lines for these texts, without those that describe the numbers.
std::string lines_of(const Metadata& texts) {
  std::string lines;
  for (const auto& [name, text] : texts) {
    if (flat::is_measured(name)) continue;
    if (name == header_text) {
      lines += other_lines(text);
    } else if (is_line(name, text)) {
      lines += fmt::format("{} = {}\n", name, base::trim(text));
    } else {
      lines += encoded_lines(name, text);
    }
  }
  return lines;
}

constexpr std::string_view nersc_name = "nersc";
constexpr std::string_view holds = "one gauge field in four dimensions";
constexpr SumName word_sum{SumKind::nersc, SumOf::field};

template <std::unsigned_integral Word, class Number>
int count_likely(base::Bytes numbers, ByteOrder order) {
  int likely = 0;
  for (std::size_t at = 0; at + sizeof(Word) <= numbers.size(); at += sizeof(Word)) {
    const std::byte* const place = numbers.data() + at;
    const Word word = order == ByteOrder::big ? base::load_be<Word>(place) : base::load_le<Word>(place);
    const Number value = std::abs(std::bit_cast<Number>(word));
    likely += value == 0 || (value >= Number(1e-12) && value <= Number(2)) ? 1 : 0;
  }
  return likely;
}

// Elements of unitary matrices in the wrong byte order rarely have a magnitude near 1.
ByteOrder likely_order(base::ByteSource& file, std::uint64_t offset, Precision precision) {
  std::array<std::byte, 4608> buffer{};
  const base::Bytes numbers = base::Bytes(buffer).first(file.read_at(offset, buffer));
  const auto count = [&](ByteOrder order) {
    return precision == Precision::single ? count_likely<std::uint32_t, float>(numbers, order)
                                          : count_likely<std::uint64_t, double>(numbers, order);
  };
  return count(ByteOrder::little) > count(ByteOrder::big) ? ByteOrder::little : ByteOrder::big;
}

class Nersc final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    return flat::begins_with_line(file, begin_line) ? Likeness::yes : Likeness::no;
  }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.kind == FieldKind::gauge && extents.size() == 4;
  }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 1> known{"layout"};
    return known;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata& texts, bool) const override { return held_texts(lost_texts(texts, {})); }
  Observables observables() const override { return Observables::stated; }
  bool takes_late_observables() const override { return true; }

 private:
  std::string_view name() const override { return nersc_name; }
  std::string_view data_section() const override { return "formats/nersc.md 4"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

void read_lattice(const flat::TextHeader& header, const Datatype& type, Payload& payload) {
  payload.extents = Coord::filled(type.dimensions, 0);
  for (int d = 0; d < type.dimensions; ++d) {
    const std::string key = fmt::format("DIMENSION_{}", d + 1);
    const auto extent = base::parse_u64(header.require(key));
    if (!extent || *extent < 1 || *extent >> 62 != 0) {
      base::fail(Code::malformed, {.expected = "1 or more", .found = base::printable(header.require(key))},
                 "{} = {} is not an extent", key, base::printable(header.require(key)));
    }
    payload.extents[d] = static_cast<std::int64_t>(*extent);
  }
  payload.stored = whole(payload.extents);
}

// formats/nersc.md 4: the existing rows.
void read_matrices(const Datatype& type, std::uint64_t data_bytes, Payload& payload) {
  payload.spec.kind = FieldKind::gauge;
  payload.spec.colors = type.colors;
  payload.spec.links = type.dimensions;
  payload.spec.numbers = static_cast<std::uint64_t>(type.dimensions * 2 * type.colors * type.colors);
  flat::set_length(payload);
  if (type.whole_matrices) return;
  if (type.colors == 3) return flat::leave_third_rows_out(payload);
  if (payload.length == data_bytes) return;
  base::fail(Code::unsupported, {}, "rows of the SU({}) matrices are omitted, which is supported for SU(3) only",
             type.colors);
}

std::optional<double> read_average(const flat::TextHeader& header, std::string_view key, const Record& record,
                                   Findings& findings) {
  const auto number = header.number(key);
  if (const auto text = header.find(key); text && !number) {
    findings.error(Code::ok, "nersc-average", record,
                   fmt::format("{} = {} is not a number; nothing can be compared with it", key, base::printable(*text)),
                   "a number", base::printable(*text));
  }
  return number;
}

flat::Head Nersc::read(base::ByteSource& file, const Limits&, Findings& findings) const {
  if (!flat::begins_with_line(file, begin_line)) {
    base::fail(Code::malformed, {}, "the file does not begin with {}", begin_line);
  }
  const flat::TextHeader header = flat::read_text_header(file, end_line, most_header_bytes);
  const Datatype type = parse_datatype(header.require("DATATYPE"));
  Record record;
  record.type = flat::header_type(nersc_name);
  flat::Head head;
  Payload& payload = head.payload;
  payload.offset = header.text.size();
  const auto form = header.find("FLOATING_POINT");
  const FloatingPoint numbers = parse_floating_point(form.value_or("IEEE32BIG"));
  payload.spec.precision = numbers.precision;
  payload.byte_order = numbers.order ? *numbers.order : likely_order(file, payload.offset, numbers.precision);
  if (!form || !numbers.order) {
    findings.warning(
        "nersc-floating-point", record,
        fmt::format("{}; the numbers look {}-endian",
                    form ? "FLOATING_POINT names no byte order" : "there is no line FLOATING_POINT: IEEE32BIG",
                    payload.byte_order == ByteOrder::big ? "big" : "little"),
        "IEEE32BIG", std::string(form.value_or("")));
  }
  read_lattice(header, type, payload);
  const std::uint64_t all = file.size();
  read_matrices(type, all - std::min(all, payload.offset), payload);
  flat::set_length(payload);
  if (const std::string other = flat::fit_matrices(payload, file); !other.empty()) {
    findings.error(Code::ok, "nersc-datatype", record, other);
  }
  flat::report_damaged_lines(header, of_numbers, nersc_name, findings);
  for (const std::string_view key : {"HDR_VERSION", "STORAGE_FORMAT", "BOUNDARY_1"}) {
    if (header.find(key)) continue;
    findings.note("nersc-line-missing", record, fmt::format("the header has no line {}", key));
  }
  if (const auto sum = flat::read_sum(header, "CHECKSUM", nersc_name, "nersc-checksum", findings)) {
    head.sums.set({word_sum, {*sum}});
  }
  head.plaquette = read_average(header, "PLAQUETTE", record, findings);
  head.link_trace = read_average(header, "LINK_TRACE", record, findings);
  head.metadata = texts_of(header);
  head.parts = flat::parts_of(header, "formats/nersc.md 2");
  return head;
}

// The supported layouts.
bool chooses_two_rows(const FieldRequest& request) {
  const std::string& layout = request.choices.layout;
  if (layout.empty() || layout == "3x3") return false;
  if (layout != "two-rows") {
    base::fail(Code::invalid_argument, {.expected = "3x3, two-rows", .found = base::printable(layout)},
               "unknown layout \"{}\" of NERSC files; choose 3x3 or two-rows", base::printable(layout));
  }
  if (request.spec.colors == 3) return true;
  flat::refuse(nersc_name, "two rows of SU(3) matrices only", fmt::format("not of SU({})", request.spec.colors));
}

// Adds the line unless it exists.
void add_line(std::string& lines, std::string_view key, std::string_view value) {
  const std::string begin = fmt::format("{} = ", key);
  if (!lines.starts_with(begin) && lines.find("\n" + begin) == std::string::npos) {
    lines += fmt::format("{}{}\n", begin, value);
  }
}

constexpr std::string_view no_sum = "00000000";

// The fewest digits that restore this double: as many as were stated, or measured.
std::string digits_of(double value) { return fmt::format("{}", value); }

// Space for a number that becomes known later: padded with blanks to the longest possible number.
std::string late_number(double value) {
  constexpr std::size_t most_digits = 24;  // -1.2345678901234567e-308
  std::string text = digits_of(value);
  text.resize(most_digits, ' ');
  return text;
}

// The positions of numbers that depend on the data; 0: none.
struct LatePlaces {
  std::uint64_t link_trace = 0, plaquette = 0, sum = 0;

  std::vector<Literal> operator()(const Digest& digest) const {
    std::vector<Literal> literals;
    if (link_trace > 0) literals.push_back(flat::literal_at(link_trace, late_number(digest.link_trace.value())));
    if (plaquette > 0) literals.push_back(flat::literal_at(plaquette, late_number(digest.plaquette.value())));
    if (sum > 0) literals.push_back(flat::literal_at(sum, base::hex32(digest.sums.find(word_sum)->words.front())));
    return literals;
  }
};

Layout Nersc::plan(const FieldRequest& request) const {
  flat::require_gauge(request, nersc_name, holds);
  flat::require_held(request, held_texts(request.metadata), nersc_name);
  const FieldSpec& spec = request.spec;
  const bool two_rows = chooses_two_rows(request);
  const std::string matrices = two_rows ? "" : fmt::format("_{}x{}", spec.colors, spec.colors);
  std::string text = fmt::format("{}\nHDR_VERSION = 1.0\nDATATYPE = 4D_SU{}_GAUGE{}\nSTORAGE_FORMAT = 1.0\n",
                                 begin_line, spec.colors, matrices);
  for (int d = 0; d < 4; ++d) text += fmt::format("DIMENSION_{} = {}\n", d + 1, request.extents[d]);
  LatePlaces late;
  const auto add_late = [&](std::string_view key, std::string_view place) {
    text += fmt::format("{} = ", key);
    const std::uint64_t at = text.size();
    text += fmt::format("{}\n", place);
    return at;
  };
  if (request.has_late_observables) {
    late.link_trace = add_late("LINK_TRACE", late_number(0));
    late.plaquette = add_late("PLAQUETTE", late_number(0));
  } else {
    if (request.link_trace) text += fmt::format("LINK_TRACE = {}\n", digits_of(*request.link_trace));
    if (request.plaquette) text += fmt::format("PLAQUETTE = {}\n", digits_of(*request.plaquette));
  }
  late.sum = add_late("CHECKSUM", no_sum);  // always: its readers need one
  std::string lines = lines_of(request.metadata);
  for (int d = 0; d < 4; ++d) add_line(lines, fmt::format("BOUNDARY_{}", d + 1), "PERIODIC");
  add_line(lines, "CREATOR", fmt::format("limequat {}", version()));
  text += lines;
  text += fmt::format("FLOATING_POINT = IEEE{}BIG\n{}\n", static_cast<int>(spec.precision), end_line);

  Payload payload;
  payload.spec = spec;
  payload.extents = request.extents;
  if (two_rows) flat::leave_third_rows_out(payload);
  Layout layout = flat::layout_of(text, std::move(payload));
  layout.sums = {word_sum};
  layout.tail = late;
  return layout;
}

}  // namespace

}  // namespace lq::format::nersc

const lq::format::Format& lq::format::nersc_format() {
  using namespace nersc;
  static constexpr std::string_view suffixes[] = {".nersc"};
  return flat::row_of<Nersc>({nersc_name, holds, "\"BEGIN_HEADER\"", suffixes});
}
