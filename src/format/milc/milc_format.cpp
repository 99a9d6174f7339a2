// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Configurations of MILC: versions 1 and 5 of its binary format (docs/formats/milc.md).

#include <fmt/format.h>

#include "base/error.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/format.hpp"
#include "format/formats.hpp"

namespace lq::format::milc {
namespace {

constexpr std::string_view milc_name = "milc";
constexpr std::string_view holds = "one SU(3) gauge field in four dimensions";
constexpr std::string_view time_stamp = "milc-time-stamp";
constexpr std::size_t stamp_bytes = 64;
constexpr SumName word_sums{SumKind::milc, SumOf::field};

// formats/milc.md 2
constexpr std::uint32_t version_5 = 20103, version_5_double = 20104, version_1 = 59354;
constexpr std::uint64_t sums_at = 88;

struct Magic {
  std::uint32_t number;
  ByteOrder order;
};

std::optional<Magic> magic_of(base::ByteSource& file) {
  for (const std::uint32_t number : {version_5, version_5_double, version_1}) {
    if (const auto order = flat::order_of_magic(file, number)) return Magic{number, *order};
  }
  return {};
}

class Milc final : public flat::FlatFormat, public AdviceProvider {
 public:
  Likeness recognise(base::ByteSource& file) const override { return magic_of(file) ? Likeness::yes : Likeness::no; }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.kind == FieldKind::gauge && extents.size() == 4 && spec.colors == 3;
  }
  Layout plan(const FieldRequest& request) const override;
  std::string advice(const FieldSpec& in_file) const override {
    if (in_file.precision == Precision::single) return {};
    return "MILC itself reads single precision only (options.precision = single)";
  }
  Metadata carried(const Metadata& texts, bool) const override;

 private:
  std::string_view name() const override { return milc_name; }
  std::string_view data_section() const override { return "formats/milc.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

Payload payload_of(const Extents& extents, Precision precision, ByteOrder order) {
  Payload payload;
  payload.spec = gauge_spec(precision, 3, 4);
  payload.spec.numbers = 72;
  payload.extents = extents;
  payload.byte_order = order;
  return payload;
}

void read_sums(flat::HeaderReader& header, flat::Head& head, Findings& findings) {
  const std::uint32_t sum29 = header.word("sum29"), sum31 = header.word("sum31");
  if (sum29 != 0 || sum31 != 0) {
    head.sums.set({word_sums, {sum29, sum31}});
    return;
  }
  Record record;
  record.type = flat::header_type(milc_name);
  findings.note("milc-sums-missing", record,
                "both sums are 0: Chroma writes this if it computed none; the data cannot be verified");
}

flat::Head Milc::read(base::ByteSource& file, const Limits&, Findings& findings) const {
  const auto found = magic_of(file);
  if (!found) throw Error(Code::malformed, "the file does not begin with a magic number of MILC");
  const Magic magic = *found;
  const bool is_old = magic.number == version_1;
  flat::HeaderReader header(file, magic.order, is_old ? "formats/milc.md 4" : "formats/milc.md 2");
  header.integer("magic");
  const Extents extents = header.extents({0, 1, 2, 3});
  flat::Head head;
  head.payload =
      payload_of(extents, magic.number == version_5_double ? Precision::double_ : Precision::single, magic.order);
  if (is_old) {
    header.word("c1");
    header.word("c2");
  } else {
    head.metadata.emplace_back(time_stamp, header.text("time stamp", stamp_bytes));
    const std::int32_t order = header.integer("order");
    if (order != 0) {
      base::fail(Code::unsupported, {.expected = "order 0", .found = fmt::format("order {}", order)},
                 "order {}: a list of sites states the order of the data, which is not supported; let MILC write the "
                 "file serially",
                 order);
    }
    read_sums(header, head, findings);
  }
  head.payload.offset = header.end();
  flat::set_length(head.payload);
  if (const std::string other = flat::fit_matrices(head.payload, file); !other.empty()) {
    Record record;
    record.type = flat::header_type(milc_name);
    findings.error(Code::ok, "milc-matrices", record, other);
  }
  head.parts = header.take();
  return head;
}

// Only a time stamp fits.
Metadata Milc::carried(const Metadata& texts, bool) const {
  Metadata held;
  for (const auto& text : texts) {
    if (text.first == time_stamp && text.second.size() < stamp_bytes && held.empty()) held.push_back(text);
  }
  return held;
}

Layout Milc::plan(const FieldRequest& request) const {
  flat::require_gauge(request, milc_name, holds);
  const Metadata held = carried(request.metadata, false);
  flat::require_held(request, held, milc_name);
  if (request.spec.colors != 3) flat::refuse(milc_name, holds, fmt::format("not of SU({})", request.spec.colors));
  const bool is_double = request.spec.precision == Precision::double_;
  flat::HeaderWriter header(ByteOrder::little);
  header.integer(is_double ? version_5_double : version_5).extents(request.extents, {0, 1, 2, 3});
  header.text(held.empty() ? "" : held.front().second, stamp_bytes).integer(0).word(0).word(0);
  Layout layout =
      flat::layout_of(header.bytes(), payload_of(request.extents, request.spec.precision, ByteOrder::little));
  if (!request.checksum) return layout;
  layout.sums = {word_sums};
  layout.tail = [](const Digest& digest) {
    const std::vector<std::uint32_t>& words = digest.sums.find(word_sums)->words;
    flat::HeaderWriter sums(ByteOrder::little);
    sums.word(words.at(0)).word(words.at(1));
    return std::vector<Literal>{flat::literal_at(sums_at, sums.bytes())};
  };
  return layout;
}

}  // namespace

}  // namespace lq::format::milc

const lq::format::Format& lq::format::milc_format() {
  using namespace milc;
  static constexpr std::string_view suffixes[] = {".milc"};
  return flat::row_of<Milc>({milc_name, holds, "the number 20103, 20104 or 59354", suffixes});
}
