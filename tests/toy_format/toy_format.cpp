// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All that a format of a header and one field needs: this folder, and the line at the end. "TOY1", four extents of 32
// bits, then the links as doubles, mu slowest at each site, x fastest; all little-endian.
#include <array>
#include <optional>

#include <limequat/error.hpp>

#include "format/component.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"

namespace lq::format::toy {
namespace {

constexpr std::string_view holds = "one gauge field of SU(3) in four dimensions";
constexpr std::string_view magic = "TOY1";

Payload payload_of(const Extents& extents) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = extents;
  payload.byte_order = ByteOrder::little;
  return payload;
}

class Toy final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    std::array<std::byte, magic.size()> begin{};
    return file.read_at(0, begin) == begin.size() && base::as_text(begin) == magic ? Likeness::yes : Likeness::no;
  }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.kind == FieldKind::gauge && spec.colors == 3 && extents.size() == 4;
  }
  Layout plan(const FieldRequest& request) const override {
    flat::require_gauge(request, name(), holds);
    flat::require_held(request, {}, name());
    flat::HeaderWriter header(ByteOrder::little);
    header.text(magic, magic.size()).extents(request.extents, {0, 1, 2, 3});
    return flat::layout_of(header.bytes(), payload_of(request.extents));
  }
  Metadata carried(const Metadata&, bool) const override { return {}; }

 private:
  std::string_view name() const override { return "toy"; }
  std::string_view data_section() const override { return "the data of a toy"; }
  flat::Head read(base::ByteSource& file, const Limits&, Findings&) const override {
    flat::HeaderReader header(file, ByteOrder::little, "the header of a toy");
    header.text("magic", magic.size());
    flat::Head head;
    head.payload = payload_of(header.extents({0, 1, 2, 3}));
    head.payload.offset = header.end();
    flat::set_length(head.payload);
    head.parts = header.take();
    return head;
  }
};

const Format& toy_format() {
  static const Toy toy;
  static constexpr std::array<std::string_view, 1> suffixes{".toy"};
  static const Format row{
      .info = {"toy", holds, "\"TOY1\"", suffixes, Contents::fields}, .container = &toy, .fields = &toy};
  return row;
}

}  // namespace
}  // namespace lq::format::toy

LQ_REGISTER_FORMAT(toy, lq::format::toy::toy_format)
