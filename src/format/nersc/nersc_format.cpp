// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The NERSC archive format: one gauge field behind a header of text (docs/formats/nersc.md).

#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <limequat/version.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"
#include "format/nersc/header.hpp"

namespace lq::format::nersc {
namespace {

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

// Elements of unitary matrices in the wrong byte order are hardly ever of the size of 1.
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

// formats/nersc.md 4: which rows there are.
void read_matrices(const Datatype& type, std::uint64_t data_bytes, Payload& payload) {
  payload.spec.kind = FieldKind::gauge;
  payload.spec.colors = type.colors;
  payload.spec.links = type.dimensions;
  payload.spec.numbers = static_cast<std::uint64_t>(type.dimensions * 2 * type.colors * type.colors);
  flat::set_length(payload);
  if (type.whole_matrices) return;
  if (type.colors == 3) return flat::leave_third_rows_out(payload);
  if (payload.length == data_bytes) return;
  base::fail(Code::unsupported, {},
             "rows are left out of the matrices of SU({}), which only files of SU(3) can be read without", type.colors);
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
  flat::report_damaged_lines(header, keys_of_numbers(), nersc_name, findings);
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

// The layouts that can be chosen.
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

// Lines that are not there already.
void add_line(std::string& lines, std::string_view key, std::string_view value) {
  const std::string begin = fmt::format("{} = ", key);
  if (!lines.starts_with(begin) && lines.find("\n" + begin) == std::string::npos) {
    lines += fmt::format("{}{}\n", begin, value);
  }
}

constexpr std::string_view no_sum = "00000000";

// The digits that give this double again and no more: as many as were stated, or measured.
std::string digits_of(double value) { return fmt::format("{}", value); }

// A number that comes when its place is there already: blanks follow it, as long as any may be.
std::string late_number(double value) {
  constexpr std::size_t most_digits = 24;  // -1.2345678901234567e-308
  std::string text = digits_of(value);
  text.resize(most_digits, ' ');
  return text;
}

// Where the numbers stand that depend on the data; 0: nowhere.
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
  late.sum = add_late("CHECKSUM", no_sum);  // always: its readers want one
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
  static const Nersc nersc;
  static constexpr std::array<std::string_view, 1> suffixes{".nersc"};
  static const Format row{.info = {nersc_name, holds, "\"BEGIN_HEADER\"", suffixes, Contents::fields},
                          .container = &nersc,
                          .fields = &nersc};
  return row;
}
