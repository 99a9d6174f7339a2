// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No magic: a file is recognised by its exact size, a check value that can be one, and numbers that can be links.
#include "format/openqcd/openqcd_format.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "format/flat/binary_header.hpp"
#include "format/flat/flat.hpp"

namespace lq::format::openqcd {
namespace {

constexpr std::string_view openqcd_name = "openqcd";
constexpr std::string_view holds = "one SU(3) gauge field or spinor field in four dimensions of even extents";
constexpr SumName square_norm{SumKind::norm, SumOf::field};

// formats/openqcd.md 2 and 4
constexpr std::uint64_t gauge_header = 24, spinor_header = 28, old_spinor_header = 24;
constexpr std::uint64_t gauge_site = 576, spinor_site = 192;
constexpr std::uint64_t norm_at = 20;
constexpr double most_plaquette = 3;        // times the usual one: the trace is not divided by 3
constexpr std::int64_t most_extent = 4096;  // sizes fit 64 bits

enum class Kind { gauge, spinor, old_spinor };

// The lattice whose extents t, x, y, z stand in front; nothing where none can stand there.
std::optional<Extents> lattice_of(base::ByteSource& file) {
  std::array<std::byte, 16> start{};
  if (file.read_at(0, start) < start.size()) return {};
  Extents extents = Coord::filled(4, 0);
  constexpr std::array<int, 4> directions{3, 0, 1, 2};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto extent = static_cast<std::int32_t>(base::load_le<std::uint32_t>(start.data() + 4 * k));
    if (extent < 2 || extent > most_extent || extent % 2 != 0) return {};
    extents[directions[k]] = extent;
  }
  return extents;
}

double real_at(base::ByteSource& file, std::uint64_t offset) {
  std::array<std::byte, 8> bytes{};
  file.read_at(offset, bytes);
  return std::bit_cast<double>(base::load_le<std::uint64_t>(bytes.data()));
}

// The squares of the first numbers, which a norm of all cannot be below.
bool can_be_norm(base::ByteSource& file, std::uint64_t data, double norm) {
  constexpr std::uint64_t few = 512;
  double sum = 0;
  for (std::uint64_t at = data; at + 8 <= file.size() && at < data + 8 * few; at += 8) {
    const double number = real_at(file, at);
    if (!std::isfinite(number)) return false;
    sum += number * number;
  }
  return std::isfinite(norm) && norm > 0 && sum <= norm * (1 + 1e-9);
}

// By the header and the size alone.
std::optional<Kind> kind_of(base::ByteSource& file) {
  const auto extents = lattice_of(file);
  if (!extents) return {};
  const std::uint64_t sites = volume(*extents), all = file.size();
  if (all == gauge_header + gauge_site * sites) {
    return std::abs(real_at(file, 16)) <= most_plaquette ? std::optional(Kind::gauge) : std::nullopt;
  }
  if (all == spinor_header + spinor_site * sites) {
    return can_be_norm(file, spinor_header, real_at(file, norm_at)) ? std::optional(Kind::spinor) : std::nullopt;
  }
  if (all == spinor_header + spinor_site * sites / 2) {
    return can_be_norm(file, spinor_header, real_at(file, norm_at)) ? std::optional(Kind::spinor) : std::nullopt;
  }
  if (all == old_spinor_header + spinor_site * sites) {
    return can_be_norm(file, old_spinor_header, real_at(file, 16)) ? std::optional(Kind::old_spinor) : std::nullopt;
  }
  return {};
}

// Links that are none are damage, or another file.
Likeness likeness_of(base::ByteSource& file) {
  const auto kind = kind_of(file);
  if (!kind) return Likeness::no;
  constexpr int few_links = 64;  // of 8 odd sites, which the smallest lattice has
  const bool fits = *kind != Kind::gauge || flat::begins_unitary(file, gauge_header, ByteOrder::little, 3, few_links);
  return fits ? Likeness::yes : Likeness::maybe;
}

class OpenQcd final : public flat::Family {
 public:
  Likeness recognise(base::ByteSource& file) const override { return likeness_of(file); }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return (spec.kind == FieldKind::gauge || spec.kind == FieldKind::spinor) && extents.size() == 4;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata&, bool) const override { return {}; }
  Observables observables() const override { return Observables::measured; }

 private:
  std::string_view name() const override { return openqcd_name; }
  std::string_view data_section() const override { return "formats/openqcd.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

// t slowest, z fastest; directions t, x, y, z.
Payload payload_of(const Extents& extents, FieldKind kind) {
  Payload payload;
  payload.extents = extents;
  payload.stored = whole(extents);
  payload.order = {2, 1, 0, 3};
  payload.byte_order = ByteOrder::little;
  if (kind == FieldKind::gauge) {
    payload.spec = gauge_spec(Precision::double_, 3, 4);
    payload.spec.numbers = 72;
    payload.codec.order = flat::link_order({3, 0, 1, 2}, 3);
    payload.at_odd_points = true;
  } else {
    payload.spec = spinor_spec(Precision::double_);
    payload.spec.numbers = 24;
  }
  return payload;
}

std::vector<std::uint32_t> words_of_real(double value) {
  const auto word = std::bit_cast<std::uint64_t>(value);
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
}

flat::Head OpenQcd::read(base::ByteSource& file, const Limits&, Findings&) const {
  const auto found = kind_of(file);
  if (!found) throw Error(Code::malformed, "the header, the size or the check value are not those of openQCD");
  const Kind kind = *found;
  flat::HeaderReader header(file, ByteOrder::little,
                            kind == Kind::gauge ? "formats/openqcd.md 2" : "formats/openqcd.md 4");
  const Extents extents = header.extents({3, 0, 1, 2});
  flat::Head head;
  head.payload = payload_of(extents, kind == Kind::gauge ? FieldKind::gauge : FieldKind::spinor);
  if (kind == Kind::gauge) {
    head.plaquette = header.real("average plaquette, up to 3") / 3;
  } else {
    if (kind == Kind::spinor && header.integer("even points only") != 0) {
      throw Error(Code::unsupported,
                  "only the even points are in this file, and fields of one parity cannot be read; let openQCD write "
                  "all points");
    }
    head.sums.set({square_norm, words_of_real(header.real("square norm"))});
  }
  head.payload.offset = header.bytes();
  flat::set_length(head.payload);
  head.parts = header.take();
  return head;
}

void require_form(const FieldRequest& request) {
  const FieldSpec& spec = request.spec;
  const bool is_gauge = spec.kind == FieldKind::gauge && spec.colors == 3 && spec.links == 4;
  const bool is_spinor = spec.kind == FieldKind::spinor && spec.numbers == 24;
  if (!is_gauge && !is_spinor) {
    flat::refuse(openqcd_name, holds,
                 fmt::format("not a {} field of {} numbers per site", lq::name(spec.kind), spec.numbers));
  }
  if (request.extents.size() != 4) flat::refuse(openqcd_name, holds, fmt::format("not in {}", request.extents.size()));
  for (const std::int64_t extent : request.extents) {
    if (extent % 2 != 0) flat::refuse(openqcd_name, holds, fmt::format("not {}", to_string(request.extents)));
  }
  flat::require_alone(request, openqcd_name, holds);
  flat::require_held(request, {}, openqcd_name);
}

Layout OpenQcd::plan(const FieldRequest& request) const {
  require_form(request);
  const FieldKind kind = request.spec.kind;
  flat::HeaderWriter header(ByteOrder::little);
  header.extents(request.extents, {3, 0, 1, 2});
  if (kind == FieldKind::gauge) {
    header.real(3 * request.plaquette.value());
    return flat::layout_of(header.bytes(), payload_of(request.extents, kind));
  }
  header.integer(0).real(0);
  Layout layout = flat::layout_of(header.bytes(), payload_of(request.extents, kind));
  layout.sums = {square_norm};
  layout.tail = [](const Digest& digest) {
    const std::vector<std::uint32_t>& words = digest.sums.find(square_norm)->words;
    flat::HeaderWriter norm(ByteOrder::little);
    norm.word(words.at(1)).word(words.at(0));
    return std::vector<Literal>{flat::literal_at(norm_at, norm.bytes())};
  };
  return layout;
}

}  // namespace

const Format& format() {
  static const OpenQcd openqcd;
  static constexpr std::array<std::string_view, 1> suffixes{".openqcd"};
  static const Format row{.info = {.name = openqcd_name,
                                   .holds = holds,
                                   .begins = "four extents and a check value, size and links that fit",
                                   .suffixes = suffixes,
                                   .contents = Contents::fields},
                          .container = &openqcd,
                          .fields = &openqcd};
  return row;
}

}  // namespace lq::format::openqcd
