// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in the format that FNAL and MILC share (docs/formats/fnal.md).

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"

namespace lq::format::fnal {
namespace {

constexpr std::string_view fnal_name = "fnal";
constexpr std::string_view holds = "one field of complex numbers in four dimensions";
constexpr std::uint32_t magic = 0x71626434;

// formats/fnal.md 3: the meaning of the number of elements per site.
struct Kind {
  int elements;
  std::string_view name;
  FieldKind kind;
};
constexpr Kind kinds[] = {
    {72, "gauge", FieldKind::gauge},
    {18, "ks-propagator", FieldKind::generic},
    {288, "wilson-propagator", FieldKind::generic},
    {24, "spinor", FieldKind::spinor},
    {2, "smearing", FieldKind::generic},
};

class Fnal final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    return flat::order_of_magic(file, magic) ? Likeness::yes : Likeness::no;
  }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.is_complex && extents.size() == 4;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata&, bool) const override { return {}; }

 private:
  std::string_view name() const override { return fnal_name; }
  std::string_view data_section() const override { return "formats/fnal.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

void refuse_header(std::string_view what, std::int32_t found, std::string_view expected) {
  base::fail(Code::malformed, {.expected = std::string(expected), .found = fmt::format("{}", found)},
             "the header states {} {}; expected {}", what, found, expected);
}

flat::Head Fnal::read(base::ByteSource& file, const Limits&, Findings&) const {
  const auto order = flat::order_of_magic(file, magic);
  if (!order) throw Error(Code::malformed, "the file does not begin with the magic number of FNAL files");
  flat::HeaderReader header(file, *order, "formats/fnal.md 2");
  header.word("magic");
  header.integer("time stamp");
  const std::int32_t bytes = header.integer("bytes per element"), elements = header.integer("elements per site");
  if (bytes != 4 && bytes != 8) refuse_header("bytes per element", bytes, "4 or 8");
  if (elements < 1) refuse_header("elements per site", elements, "1 or more");
  flat::Head head;
  Payload& payload = head.payload;
  payload.extents = header.extents({0, 1, 2, 3});
  const std::int32_t sites = header.integer("order");
  if (sites != 0) {
    base::fail(Code::unsupported, {.expected = "order 0", .found = fmt::format("order {}", sites)},
               "order {}: only sites in natural order are supported", sites);
  }
  const Precision precision = bytes == 4 ? Precision::single : Precision::double_;
  payload.spec = generic_spec(precision, static_cast<std::uint64_t>(elements), elements % 2 == 0);
  for (const Kind& kind : kinds) {
    if (kind.elements != elements) continue;
    if (kind.kind == FieldKind::gauge) payload.spec = gauge_spec(precision, 3, 4);
    if (kind.kind == FieldKind::spinor) payload.spec = spinor_spec(precision);
    payload.spec.numbers = static_cast<std::uint64_t>(elements);
    head.name = kind.name;
  }
  payload.byte_order = *order;
  payload.offset = header.end();
  flat::set_length(payload);
  head.parts = header.take();
  return head;
}

Layout Fnal::plan(const FieldRequest& request) const {
  const FieldSpec& spec = request.spec;
  if (request.extents.size() != 4) flat::refuse(fnal_name, holds, fmt::format("not in {}", request.extents.size()));
  if (!spec.is_complex) flat::refuse(fnal_name, holds, "not of real ones");
  const bool known = spec.kind == FieldKind::generic || (spec.kind == FieldKind::gauge && spec.numbers == 72) ||
                     (spec.kind == FieldKind::spinor && spec.numbers == 24);
  if (!known) {
    flat::refuse(fnal_name, holds,
                 fmt::format("which of {} fields are links of SU(3) or spinors of 4 x 3 numbers", lq::name(spec.kind)));
  }
  if (spec.kind == FieldKind::generic && (spec.numbers == 72 || spec.numbers == 24)) {
    flat::refuse(fnal_name, holds, fmt::format("but {} numbers per site mean links or spinors there", spec.numbers));
  }
  flat::require_alone(request, fnal_name, holds);
  flat::require_held(request, {}, fnal_name);
  flat::HeaderWriter header(ByteOrder::little);
  header.word(magic).integer(0).integer(static_cast<std::int64_t>(spec.number_bytes()));
  header.integer(static_cast<std::int64_t>(spec.numbers)).extents(request.extents, {0, 1, 2, 3}).integer(0);
  Payload payload;
  payload.spec = spec;
  payload.extents = request.extents;
  payload.byte_order = ByteOrder::little;
  return flat::layout_of(header.bytes(), std::move(payload));
}

}  // namespace

}  // namespace lq::format::fnal

const lq::format::Format& lq::format::fnal_format() {
  using namespace fnal;
  static constexpr std::string_view suffixes[] = {".fnal"};
  return flat::row_of<Fnal>({fnal_name, holds, "the number 0x71626434", suffixes});
}
