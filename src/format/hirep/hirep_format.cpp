// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No magic: a file is recognised by its exact size, a possible plaquette, and unitary links.
// Configurations of HiRep (docs/formats/hirep.md).

#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "format/flat/flat.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"

namespace lq::format::hirep {
namespace {

constexpr std::string_view hirep_name = "hirep";
constexpr std::string_view holds = "one gauge field in four dimensions";
constexpr std::uint64_t header_bytes = 28;
constexpr std::uint64_t four_fermion_bytes = 16;  // per site, after the links
constexpr std::int32_t most_colors = 100;

struct HeaderFacts {
  int colors;
  Extents extents;
  double plaquette;
  bool quaternions;
  std::uint64_t behind;  // bytes of the links
  std::vector<Annotation> parts;
};

constexpr std::uint64_t link_bytes(int colors, bool quaternions) {
  return quaternions ? 4 * 8 : static_cast<std::uint64_t>(colors * colors) * 16;
}

// formats/hirep.md 3: q0, q1, q2, q3 of ((q0 + i q3, -q2 + i q1), (q2 + i q1, q0 - i q3)), as numbers of the matrix.
std::vector<std::uint32_t> quaternion_order() {
  std::vector<std::uint32_t> order;
  for (const std::uint32_t mu : {3U, 0U, 1U, 2U}) {
    for (const std::uint32_t number : {0U, 5U, 4U, 1U}) order.push_back(8 * mu + number);
  }
  return order;
}

Payload payload_of(const Extents& extents, int colors, bool quaternions) {
  Payload payload;
  payload.spec = gauge_spec(Precision::double_, colors, 4);
  payload.spec.numbers = 8 * static_cast<std::uint64_t>(colors * colors);
  payload.extents = extents;
  payload.order = {2, 1, 0, 3};
  payload.byte_order = ByteOrder::big;
  payload.codec.order = quaternions ? quaternion_order()
                                    : flat::link_order({3, 0, 1, 2}, static_cast<std::uint32_t>(2 * colors * colors));
  payload.codec.second_columns_missing = quaternions;
  return payload;
}

// The quaternions of the first links have length 1.
bool begins_with_quaternions(base::ByteSource& file, int links) {
  for (int k = 0; k < links; ++k) {
    std::array<std::byte, 32> bytes{};
    if (file.read_at(header_bytes + 32 * static_cast<std::uint64_t>(k), bytes) < bytes.size()) return false;
    double length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const double number = std::bit_cast<double>(base::load_be<std::uint64_t>(bytes.data() + 8 * i));
      length += number * number;
    }
    if (!(std::abs(length - 1) <= 1e-3)) return false;
  }
  return true;
}

// Empty if the header, the size or the links cannot belong to such a file.
std::optional<flat::Sampled> sample_of(base::ByteSource& file, const Extents& l, std::int32_t colors) {
  const std::uint64_t bytes = link_bytes(colors, false);
  return flat::sample_plaquette(file, l, colors, ByteOrder::big, [&](const Coord& x, int mu) {
    const auto site = static_cast<std::uint64_t>(x[2] + l[2] * (x[1] + l[1] * (x[0] + l[0] * x[3])));
    return header_bytes + (site * 4 + static_cast<std::uint64_t>((mu + 1) % 4)) * bytes;
  });
}

// The first links may be damaged, or outside SU(N); then the plaquette decides.
bool begins_with_links(base::ByteSource& file, const HeaderFacts& seen) {
  constexpr int few_links = 4;
  if (flat::begins_unitary(file, header_bytes, ByteOrder::big, seen.colors, few_links)) return true;
  const auto sample = sample_of(file, seen.extents, seen.colors);
  return sample && sample->agrees_with(seen.plaquette);
}

std::optional<HeaderFacts> look(base::ByteSource& file) {
  if (file.size() < header_bytes) return {};
  try {
    flat::HeaderReader header(file, ByteOrder::big, "formats/hirep.md 2");
    const std::int32_t colors = header.integer("number of colours");
    if (colors < 2 || colors > most_colors) return {};
    HeaderFacts seen{colors, header.extents({3, 0, 1, 2}), header.real("average plaquette"), false, 0, {}};
    if (!(std::abs(seen.plaquette) <= 1.001)) return {};
    seen.parts = header.take();
    const auto sites = volume(seen.extents);
    for (const bool quaternions : {false, true}) {
      if (quaternions && colors != 2) continue;
      const auto links = base::checked_multiply(sites, 4 * link_bytes(colors, quaternions));
      if (!links || *links > file.size()) continue;
      for (const std::uint64_t behind : {std::uint64_t{0}, sites * four_fermion_bytes}) {
        if (file.size() != header_bytes + *links + behind) continue;
        constexpr int few_links = 4;
        const bool fits = quaternions ? begins_with_quaternions(file, few_links) : begins_with_links(file, seen);
        if (!fits) continue;
        seen.quaternions = quaternions;
        seen.behind = behind;
        return seen;
      }
    }
  } catch (const Error& error) {
    if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
  }
  return {};
}

// A plaquette that contradicts the links means damage, or another format.
Likeness likeness_of(base::ByteSource& file) {
  const auto seen = look(file);
  if (!seen) return Likeness::no;
  if (seen->quaternions) return Likeness::yes;
  const auto sample = sample_of(file, seen->extents, seen->colors);
  return sample && sample->agrees_with(seen->plaquette) ? Likeness::yes : Likeness::maybe;
}

class HiRep final : public flat::FlatFormat {
 public:
  Likeness recognise(base::ByteSource& file) const override { return likeness_of(file); }
  bool is_for(const FieldSpec& spec, const Extents& extents) const override {
    return spec.kind == FieldKind::gauge && extents.size() == 4;
  }
  std::span<const std::string_view> known_choices() const override {
    static constexpr std::array<std::string_view, 1> known{"layout"};
    return known;
  }
  Layout plan(const FieldRequest& request) const override;
  Metadata carried(const Metadata&, bool) const override { return {}; }
  Observables observables() const override { return Observables::measured; }
  bool takes_late_observables() const override { return true; }

 private:
  std::string_view name() const override { return hirep_name; }
  std::string_view data_section() const override { return "formats/hirep.md 3"; }
  flat::Head read(base::ByteSource& file, const Limits& limits, Findings& findings) const override;
};

flat::Head HiRep::read(base::ByteSource& file, const Limits&, Findings& findings) const {
  auto seen = look(file);
  if (!seen) throw Error(Code::malformed, "the header, the size or the links do not match a HiRep configuration");
  flat::Head head;
  head.payload = payload_of(seen->extents, seen->colors, seen->quaternions);
  head.payload.offset = header_bytes;
  flat::set_length(head.payload);
  head.plaquette = seen->plaquette;
  head.parts = std::move(seen->parts);
  if (seen->behind > 0) {
    Record record;
    record.type = flat::data_type(hirep_name);
    findings.note("hirep-four-fermion", record,
                  "two numbers for each site follow the links: auxiliary fields of a "
                  "four-fermion action, which are not read");
  }
  return head;
}

bool chooses_quaternions(const FieldRequest& request) {
  const std::string& layout = request.choices.layout;
  if (layout.empty() || layout == "matrices") return false;
  if (layout == "quaternions" && request.spec.colors == 2) return true;
  base::fail(Code::invalid_argument, {.expected = "matrices, quaternions", .found = layout},
             "unknown layout \"{}\" of HiRep files of SU({}); choose matrices or, for SU(2), quaternions", layout,
             request.spec.colors);
}

Layout HiRep::plan(const FieldRequest& request) const {
  flat::require_gauge(request, hirep_name, holds);
  flat::require_held(request, {}, hirep_name);
  const bool quaternions = chooses_quaternions(request);
  flat::HeaderWriter header(ByteOrder::big);
  header.integer(request.spec.colors).extents(request.extents, {3, 0, 1, 2});
  const std::uint64_t plaquette_at = header.bytes().size();
  header.real(request.has_late_observables ? 0 : request.plaquette.value());
  Layout layout = flat::layout_of(header.bytes(), payload_of(request.extents, request.spec.colors, quaternions));
  if (!request.has_late_observables) return layout;
  layout.tail = [plaquette_at](const Digest& digest) {
    const std::string value = flat::HeaderWriter(ByteOrder::big).real(digest.plaquette.value()).bytes();
    return std::vector<Literal>{flat::literal_at(plaquette_at, value)};
  };
  return layout;
}

}  // namespace

}  // namespace lq::format::hirep

const lq::format::Format& lq::format::hirep_format() {
  using namespace hirep;
  static constexpr std::string_view suffixes[] = {".hirep"};
  return flat::row_of<HiRep>(
      {hirep_name, holds, "colours, four extents and a plaquette, size and links that fit", suffixes});
}
