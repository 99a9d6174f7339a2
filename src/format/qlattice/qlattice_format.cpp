// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields of Qlattice: a header of text, then numbers (docs/formats/qlattice.md).

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"

namespace lq::format::qlattice {
namespace {

constexpr std::string_view qlattice_name = "qlattice";
constexpr std::string_view holds = "one field in four dimensions";
constexpr std::string_view begin_line = "BEGIN_FIELD_HEADER", end_line = "END_HEADER";
constexpr std::array<std::string_view, 8> keys{"field_version", "total_site[0]", "total_site[1]", "total_site[2]",
                                               "total_site[3]", "multiplicity",  "sizeof(M)",     "field_crc32"};
constexpr SumName bytes_sum{SumKind::crc32, SumOf::field};
constexpr std::size_t most_header_bytes = 16 * 1024;

class Qlattice final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    return flat::begins_with_line(file, begin_line) ? Likeness::yes : Likeness::no;
  }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return extents.size() == 4 && spec.kind != FieldKind::propagator;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata&, bool) const override { return {}; }

 private:
  std::string_view name() const override { return qlattice_name; }
  std::string_view data_section() const override { return "formats/qlattice.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

std::uint64_t number(const flat::TextHeader& header, const std::string& key) {
  const std::string_view value = header.require(key);
  const auto found = base::parse_u64(value);
  if (found && *found >= 1 && *found >> 31 == 0) return *found;
  base::fail(Code::malformed, {.expected = "1 or more", .found = base::printable(value)},
             "{} = {} is not a number from 1 to 2^31 - 1", key, base::printable(value));
}

// formats/qlattice.md 3: the meaning of the given number of numbers per site.
FieldSpec spec_of(std::uint64_t numbers, Precision precision) {
  FieldSpec spec = numbers == 72   ? gauge_spec(precision, 3, 4)
                   : numbers == 24 ? spinor_spec(precision)
                                   : generic_spec(precision, numbers, numbers % 2 == 0);
  spec.numbers = numbers;
  return spec;
}

flat::Head Qlattice::read(base::ByteSource& file, const Limits&, Findings& findings) const {
  if (!flat::begins_with_line(file, begin_line)) {
    base::fail(Code::malformed, {}, "the file does not begin with {}", begin_line);
  }
  const flat::TextHeader header = flat::read_text_header(file, end_line, most_header_bytes);
  flat::Head head;
  Payload& payload = head.payload;
  payload.extents = Coord::filled(4, 0);
  for (int d = 0; d < 4; ++d) {
    payload.extents[d] = static_cast<std::int64_t>(number(header, fmt::format("total_site[{}]", d)));
  }
  const std::uint64_t bytes = number(header, "sizeof(M)");
  if (bytes != 4 && bytes % 8 != 0) {
    base::fail(Code::unsupported, {.expected = "4, or a multiple of 8", .found = fmt::format("{}", bytes)},
               "sizeof(M) = {}: only elements made of floats or doubles are supported", bytes);
  }
  const std::uint64_t numbers = number(header, "multiplicity") * (bytes == 4 ? 1 : bytes / 8);
  payload.spec = spec_of(numbers, bytes == 4 ? Precision::single : Precision::double_);
  payload.byte_order = ByteOrder::big;
  payload.offset = header.text.size();
  flat::set_length(payload);
  if (const auto sum = flat::read_sum(header, "field_crc32", qlattice_name, "qlattice-crc32", findings)) {
    head.sums.set({bytes_sum, {*sum}});
  }
  flat::report_damaged_lines(header, keys, qlattice_name, findings);
  head.parts = flat::parts_of(header, "formats/qlattice.md 2");
  return head;
}

Layout Qlattice::plan(const FieldRequest& request) const {
  const FieldSpec& spec = request.spec;
  if (request.extents.size() != 4) flat::refuse(qlattice_name, holds, fmt::format("not in {}", request.extents.size()));
  const FieldSpec read = spec_of(spec.numbers, spec.precision);
  if (read.kind != spec.kind) {
    flat::refuse(qlattice_name, holds,
                 fmt::format("where {} numbers per site are a {} field, not a {} field", spec.numbers,
                             lq::name(read.kind), lq::name(spec.kind)));
  }
  flat::require_alone(request, qlattice_name, holds);
  flat::require_held(request, {}, qlattice_name);
  std::string text = fmt::format("{}\nfield_version = 1.0\n", begin_line);
  for (int d = 0; d < 4; ++d) text += fmt::format("total_site[{}] = {}\n", d, request.extents[d]);
  text += fmt::format("multiplicity = {}\nsizeof(M) = {}\nfield_crc32 = ", spec.numbers, spec.number_bytes());
  const std::uint64_t sum_at = text.size();
  text += fmt::format("{:08X}\n{}\n", 0, end_line);
  Payload payload;
  payload.spec = spec;
  payload.extents = request.extents;
  payload.byte_order = ByteOrder::big;
  Layout layout = flat::layout_of(text, std::move(payload));
  // Its readers always compare it.
  layout.sums = {bytes_sum};
  layout.tail = [sum_at](const Digest& digest) {
    const std::uint32_t sum = digest.sums.find(bytes_sum)->words.front();
    return std::vector<Literal>{flat::literal_at(sum_at, fmt::format("{:08X}", sum))};
  };
  return layout;
}

}  // namespace

}  // namespace lq::format::qlattice

const lq::format::Format& lq::format::qlattice_format() {
  using namespace qlattice;
  static constexpr std::string_view suffixes[] = {".field"};
  return flat::row_of<Qlattice>({qlattice_name, holds, "\"BEGIN_FIELD_HEADER\"", suffixes});
}
