// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No magic: a file is recognised by its exact size, a check value that can be one, and numbers that can be links.
// Configurations and spinor fields of openQCD (docs/formats/openqcd.md).

#include <array>
#include <bit>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "format/flat/binary_header.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/sampled_plaquette.hpp"
#include "format/formats.hpp"
#include "format/openqcd/blocks.hpp"
#include "format/openqcd/kinds.hpp"
#include "format/openqcd/local.hpp"
#include "format/openqcd/plan.hpp"

namespace lq::format::openqcd {
namespace {

// Where a link begins: that of an even site lies with its odd neighbour.
std::uint64_t link_at(const Extents& extents, std::uint64_t data, Coord x, int mu) {
  constexpr std::uint64_t link_bytes = 144;
  const bool is_odd = (x[0] + x[1] + x[2] + x[3]) % 2 != 0;
  if (!is_odd) x[mu] = (x[mu] + 1) % extents[mu];
  const std::int64_t place = x[2] + extents[2] * (x[1] + extents[1] * (x[0] + extents[0] * x[3]));
  const int number = 2 * ((mu + 1) % 4) + (is_odd ? 0 : 1);  // of directions t, x, y, z, forward and backward
  return data + (static_cast<std::uint64_t>(place / 2) * 8 + static_cast<std::uint64_t>(number)) * link_bytes;
}

// Links that are none, or whose plaquette is not the stated one, are damage, or another file.
Likeness likeness_of(base::ByteSource& file) {
  const auto seen = look(file);
  if (!seen) return look_local(file) ? Likeness::yes : Likeness::no;
  if (seen->kinds.front() != Kind::gauge) return Likeness::yes;
  constexpr int few_links = 64;  // of 8 odd sites, which the smallest lattice has
  const std::uint64_t data = seen->place.header_bytes() + head_bytes(Kind::gauge);
  if (!flat::begins_unitary(file, data, ByteOrder::little, 3, few_links)) return Likeness::maybe;
  // Plaquettes of a block are those within it.
  if (seen->place.is_block()) return Likeness::yes;
  const Extents& extents = seen->place.extents;
  const auto sample = flat::sample_plaquette(file, extents, 3, ByteOrder::little,
                                             [&](const Coord& x, int mu) { return link_at(extents, data, x, mu); });
  return sample && sample->agrees_with(real_at(file, data - 8) / 3) ? Likeness::yes : Likeness::maybe;
}

class OpenQcd final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override { return likeness_of(file); }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return kind_for(spec, extents).has_value();
  }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 2> known{"layout", "parts"};
    return known;
  }
  Layout plan(const FieldRequest& request) const override { return plan_file(request); }
  Metadata carried(const Metadata&, bool) const override { return {}; }
  Observables observables() const override { return Observables::measured; }
  bool takes_late_observables() const override { return true; }

 private:
  std::string_view name() const override { return openqcd_name; }
  std::string_view data_section() const override { return "formats/openqcd.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
  std::optional<flat::Head> read_further(base::ByteSource& file, std::uint64_t number,
                                         std::uint64_t end) const override;
};

std::vector<std::uint32_t> words_of_real(double value) {
  const auto word = std::bit_cast<std::uint64_t>(value);
  return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
}

std::string_view section_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::gauge:
      return "formats/openqcd.md 2";
    case Kind::momenta:
      return "formats/openqcd.md 5";
    case Kind::u1:
      return "formats/openqcd.md 6";
    case Kind::spinor:
    case Kind::old_spinor:
      break;
  }
  return "formats/openqcd.md 4";
}

// What stands before the data of a field, behind the place.
flat::Head field_head(flat::HeaderReader& header, const Extents& extents, Kind kind) {
  flat::Head head;
  head.payload = payload_of(extents, kind);
  switch (kind) {
    case Kind::gauge:
      head.plaquette = header.real("average plaquette, up to 3") / 3;
      break;
    case Kind::momenta:
      head.name = "momenta";
      head.sums.set({momentum_action, words_of_real(header.real("action of the momenta"))});
      break;
    case Kind::u1:
      head.name = "u1";
      head.plaquette = header.real("average U(1) plaquette");
      break;
    case Kind::spinor:
      header.integer("even points only");
      [[fallthrough]];
    case Kind::old_spinor:
      head.sums.set({square_norm, words_of_real(header.real("square norm"))});
      break;
  }
  head.payload.offset = header.end();
  head.parts = header.take();
  return head;
}

// Even points are a field of its own, on a lattice of half the extent in z.
void halve(Payload& payload, Findings& findings) {
  Record record;
  record.type = flat::data_type(openqcd_name);
  const Extents all = payload.extents;
  payload.extents[2] /= 2;
  payload.stored = whole(payload.extents);
  findings.warning("openqcd-even-points", record,
                   fmt::format("only the even points of {} are in the file; they are read as a field on {}, whose site "
                               "(x, y, h, t) is the point z = 2 h + (x + y + t) mod 2",
                               to_string(all), to_string(payload.extents)));
}

flat::Head OpenQcd::read(base::ByteSource& file, const Limits&, Findings& findings) const {
  const auto seen = look(file);
  if (!seen) {
    if (const auto place = look_local(file)) return local_field(file, *place);
  }
  if (!seen) throw Error(Code::malformed, "the header, the size or the check value does not match openQCD");
  if (seen->even_only && seen->place.is_block()) {
    throw Error(Code::unsupported,
                "only the even points are in this block, and blocks of one parity are not read; let openQCD write all "
                "points, or one file");
  }
  const Kind kind = seen->kinds.front();
  const Place& place = seen->place;
  const std::string_view section = place.is_block() ? "formats/openqcd.md 8" : section_of(kind);
  flat::HeaderReader header(file, ByteOrder::little, std::string(section));
  header.extents({3, 0, 1, 2});
  if (place.is_block()) {
    header.extents({3, 0, 1, 2});
    for (const char* const name : {"first site of the block in t", "in x", "in y", "in z"}) header.integer(name);
  }
  flat::Head head = field_head(header, place.extents, kind);
  if (place.is_block()) {
    head.files = block_files(file, *seen);
    place_blocks(head.payload, place.block, header.end());
  }
  if (seen->even_only) halve(head.payload, findings);
  flat::set_length(head.payload);
  return head;
}

std::optional<flat::Head> OpenQcd::read_further(base::ByteSource& file, std::uint64_t number, std::uint64_t end) const {
  const auto seen = look(file);
  if (!seen || number >= seen->kinds.size()) return {};
  const Kind kind = seen->kinds[static_cast<std::size_t>(number)];
  flat::HeaderReader header(file, ByteOrder::little, std::string(section_of(kind)), end);
  flat::Head head = field_head(header, seen->place.extents, kind);
  flat::set_length(head.payload);
  return head;
}

}  // namespace

}  // namespace lq::format::openqcd

const lq::format::Format& lq::format::openqcd_format() {
  using namespace openqcd;
  static const OpenQcd openqcd;
  static constexpr std::array<std::string_view, 1> suffixes{".openqcd"};
  static const Format row{
      .info = {openqcd_name, contents_of_files, "four extents and a check value, size and links that fit", suffixes,
               Contents::fields},
      .container = &openqcd,
      .fields = &openqcd};
  return row;
}
