// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No magic: a file is recognised by its exact size, a possible check value, and numbers that can be links.
// Configurations and spinor fields of openQCD (docs/formats/openqcd.md).
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "format/flat/headers.hpp"
#include "format/formats.hpp"
#include "format/openqcd/openqcd_format.hpp"

namespace lq::format::openqcd {

// Files of openQCD's family for writing: one, or a set of blocks.

inline constexpr std::string_view openqcd_name = "openqcd";
inline constexpr std::string_view contents_of_files =
    "one SU(3) gauge field or spinor field, momenta (32 real numbers per site), or U(1) links (4 real numbers per "
    "site), these also after a gauge field, in four dimensions of even extents";
inline constexpr SumName square_norm{SumKind::norm, SumOf::field};
inline constexpr SumName momentum_action{SumKind::momentum_action, SumOf::field};

// The kind for such a field; empty: there is none.
std::optional<Kind> kind_for(const FieldSpec& spec, const Extents& extents) noexcept;

Layout plan_file(const FieldRequest& request);

namespace {

// Local files of openQCD 2.4 (formats/openqcd.md 9) for writing: one for each of its processes.

constexpr std::string_view layout_name = "local";
constexpr std::uint64_t words_of_header = 17, smallest_local = 4;

// The part after the name of the layout: how openQCD's threads share a process: "local:2x1x1x1".
Extents threads_of(const std::string& layout) {
  if (layout == layout_name) return Coord::filled(4, 1);
  return parse_extents(layout.substr(layout_name.size() + 1));
}

[[noreturn]] void refuse_order(const Extents& local, const Extents& threads) {
  base::fail(Code::unsupported, {},
             "openQCD stores the points of a process of {}, shared by threads as {}, in blocks of odd or different "
             "extents, or gives a thread less than 4 points in a direction; such local files are not supported: use "
             "another process grid, or the exported form",
             to_string(local), to_string(threads));
}

LocalOrder order_of(const Extents& local, const Extents& threads) {
  for (int d = 0; d < 4; ++d) {
    const bool fits = threads.size() == 4 && threads[d] >= 1 && local[d] % threads[d] == 0 &&
                      local[d] / threads[d] % 2 == 0 && local[d] / threads[d] >= std::int64_t{smallest_local};
    if (!fits) refuse_order(local, threads);
  }
  auto order = order_of_threads(local, threads);
  if (!order) refuse_order(local, threads);
  return *std::move(order);
}

std::string header_of(const LocalPlace& place) {
  flat::HeaderWriter header(ByteOrder::little);
  const std::array<int, 4> t_first{3, 0, 1, 2};
  for (const Extents* four : {&place.processes, &place.local, &place.blocks, &place.at}) {
    for (const int d : t_first) header.integer((*four)[d]);
  }
  header.integer(place.threads);
  return header.real(0).bytes();
}

LocalPlace place_of(const Parts& parts, const Extents& threads) {
  LocalPlace place;
  place.local = parts.block();
  place.processes = parts.extents();
  for (int d = 0; d < 4; ++d) place.processes[d] /= place.local[d];
  place.blocks = Coord::filled(4, 1);
  place.threads = static_cast<std::int64_t>(volume(threads));
  place.sum_at = 4 * words_of_header;
  return place;
}

// True if local files are requested. invalid_argument: unknown layout.
bool is_local(const FieldRequest& request) {
  const std::string& layout = request.choices.layout;
  if (layout.empty() || layout == "exported") return false;
  if (layout == layout_name || layout.starts_with(fmt::format("{}:", layout_name))) return true;
  base::fail(Code::invalid_argument, {.expected = "exported, local", .found = base::printable(layout)},
             "unknown layout \"{}\" of openQCD files; choose exported, local, or local:2x1x1x1 to state how openQCD's "
             "threads share a process",
             base::printable(layout));
}

// For a gauge field. invalid_argument: the process grid is not given. unsupported: the order of points cannot be
// written.
Layout plan_local(const FieldRequest& request) {
  const auto parts = Parts::of(request);
  if (!parts) {
    throw Error(
        Code::invalid_argument,
        "openQCD writes one local file for each of its processes: state the process grid with parts, such as 2x2x1x4");
  }
  const Extents threads = threads_of(request.choices.layout);
  LocalPlace place = place_of(*parts, threads);
  Payload payload = payload_of(request.extents, Kind::gauge);
  place_local(payload, place, order_of(place.local, threads));
  flat::set_length(payload);
  Layout layout;
  layout.suffixes.clear();
  for (std::uint64_t k = 0; k < parts->count(); ++k) {
    const Coord lower = parts->lower(k, site_order());
    place.at = lower;
    for (int d = 0; d < 4; ++d) place.at[d] /= place.local[d];
    layout.suffixes.push_back(fmt::format("_{}", k));
    layout.head.push_back(flat::literal_at(0, header_of(place)));
    layout.head.back().file = static_cast<int>(k);
    layout.plaquettes_of.push_back({lower, place.local});
    layout.end.push_back(place.bytes());
  }
  layout.payload = {std::move(payload)};
  layout.tail = [at = place.sum_at](const Digest& digest) {
    std::vector<Literal> literals;
    for (const double sum : digest.plaquette_sums) {
      literals.push_back(flat::literal_at(at, flat::HeaderWriter(ByteOrder::little).real(3 * sum).bytes()));
      literals.back().file = static_cast<int>(literals.size()) - 1;
    }
    return literals;
  };
  return layout;
}

// The beginning of every file of a field, except for the place of a block.
struct FieldHead {
  Kind kind;
  double value = 0;      // the check value, if known
  bool is_late = false;  // for links: it is known after the data have passed

  std::string operator()(const std::string& place) const {
    flat::HeaderWriter header(ByteOrder::little);
    if (kind == Kind::spinor) header.integer(0);
    header.real(value);
    return place + header.bytes();
  }
};

// The check value in the file's form, from facts known after the data have passed.
std::string value_of(Kind kind, const Digest& digest) {
  flat::HeaderWriter value(ByteOrder::little);
  if (kind == Kind::gauge) return value.real(3 * digest.plaquette.value()).bytes();
  if (kind == Kind::u1) return value.real(digest.plaquette.value()).bytes();
  const std::vector<std::uint32_t>& words =
      digest.sums.find(kind == Kind::momenta ? momentum_action : square_norm)->words;
  return value.word(words.at(1)).word(words.at(0)).bytes();
}

// Late check values are stored in every file.
void add_tail(Layout& layout, const FieldHead& head, std::uint64_t value_at) {
  const bool has_plaquette = head.kind == Kind::gauge || head.kind == Kind::u1;
  if (has_plaquette && !head.is_late) return;
  if (!has_plaquette) layout.sums = {head.kind == Kind::momenta ? momentum_action : square_norm};
  layout.tail = [kind = head.kind, value_at, files = layout.suffixes.size()](const Digest& digest) {
    std::vector<Literal> literals;
    for (std::size_t k = 0; k < files; ++k) {
      literals.push_back(flat::literal_at(value_at, value_of(kind, digest)));
      literals.back().file = static_cast<int>(k);
    }
    return literals;
  };
}

void require_even(const Extents& extents, std::string_view what) {
  for (const std::int64_t extent : extents) {
    if (extent % 2 != 0) {
      flat::refuse(openqcd_name, contents_of_files, fmt::format("not {}{}", what, to_string(extents)));
    }
  }
}

std::string place_text(const Extents& extents) {
  flat::HeaderWriter header(ByteOrder::little);
  return header.extents(extents, {3, 0, 1, 2}).bytes();
}

Layout plan_blocks(const FieldRequest& request, const Parts& parts, const FieldHead& head) {
  require_even(parts.block(), "blocks of ");
  Layout layout;
  layout.suffixes = block_suffixes(parts);
  Payload payload = payload_of(request.extents, head.kind);
  flat::set_length(payload);
  std::uint64_t data = 0;
  for (std::uint64_t k = 0; k < parts.count(); ++k) {
    const std::string place =
        place_text(request.extents) + place_text(parts.block()) + place_text(parts.lower(k, site_order()));
    const std::string bytes = head(place);
    data = bytes.size();
    layout.head.push_back(flat::literal_at(0, bytes));
    layout.head.back().file = static_cast<int>(k);
    layout.end.push_back(data + parts.sites() * payload.site_bytes());
  }
  place_blocks(payload, parts.block(), data);
  layout.payload = {std::move(payload)};
  add_tail(layout, head, data - 8);
  return layout;
}

// U(1) links after the gauge field of openQ*D.
Layout plan_behind(const FieldRequest& request, const FieldHead& head) {
  const std::uint64_t gauge_end = 24 + site_bytes(Kind::gauge) * volume(request.extents);
  bool is_behind = head.kind == Kind::u1 && request.offset == gauge_end && request.choices.parts.empty();
  if (is_behind && request.before != nullptr) {
    const std::string place = place_text(request.extents);
    std::string begin(place.size(), '\0');
    request.before->read_at(0, std::as_writable_bytes(std::span(begin)));
    is_behind = begin == place;
  }
  if (!is_behind) {
    flat::refuse(openqcd_name, contents_of_files,
                 "and this file has one already; only U(1) links of the same lattice "
                 "follow a gauge field");
  }
  const std::string bytes = head("");
  Payload payload = payload_of(request.extents, head.kind);
  payload.offset = gauge_end + bytes.size();
  flat::set_length(payload);
  Layout layout;
  layout.head = {flat::literal_at(gauge_end, bytes)};
  layout.end = {base::add_or_throw(payload.offset, payload.length, "the size of the file")};
  add_tail(layout, head, payload.offset - 8);
  layout.payload = {std::move(payload)};
  return layout;
}

}  // namespace

std::optional<Kind> kind_for(const FieldSpec& spec, const Extents& extents) noexcept {
  if (extents.size() != 4) return {};
  const bool has_links = spec.links == 0 || spec.links == 4;
  if (spec.kind == FieldKind::gauge && spec.colors == 3 && has_links) return Kind::gauge;
  if (spec.kind == FieldKind::spinor && spec.colors == 3 && spec.spins == 4) return Kind::spinor;
  if (spec.kind != FieldKind::generic || spec.is_complex) return {};
  if (spec.numbers == site_bytes(Kind::momenta) / 8) return Kind::momenta;
  if (spec.numbers == site_bytes(Kind::u1) / 8) return Kind::u1;
  return {};
}

Layout plan_file(const FieldRequest& request) {
  const FieldSpec& spec = request.spec;
  const auto kind = kind_for(spec, request.extents);
  if (!kind) {
    flat::refuse(openqcd_name, contents_of_files,
                 fmt::format("not a {} field of {} {} numbers per site in {} dimensions", lq::name(spec.kind),
                             spec.numbers, spec.is_complex ? "complex" : "real", request.extents.size()));
  }
  require_even(request.extents, "");
  flat::require_held(request, {}, openqcd_name);
  if (is_local(request)) {
    flat::require_alone(request, openqcd_name, contents_of_files);
    if (*kind == Kind::gauge) return plan_local(request);
    flat::refuse(openqcd_name, "gauge fields in local files", "no other ones");
  }
  FieldHead head{*kind, 0, request.has_late_observables};
  if (*kind == Kind::gauge && !head.is_late) head.value = 3 * request.plaquette.value();
  if (*kind == Kind::u1 && !head.is_late) head.value = request.plaquette.value();
  if (!request.first) return plan_behind(request, head);
  flat::require_alone(request, openqcd_name, contents_of_files);
  if (const auto parts = Parts::of(request)) {
    if (*kind == Kind::u1) flat::refuse(openqcd_name, contents_of_files, "of which openQ*D writes no blocks");
    return plan_blocks(request, *parts, head);
  }
  const std::string bytes = head(place_text(request.extents));
  Layout layout = flat::layout_of(bytes, payload_of(request.extents, *kind));
  add_tail(layout, head, bytes.size() - 8);
  return layout;
}

namespace {

// The first byte of a link: links of an even site are stored with its odd neighbour.
std::uint64_t link_at(const Extents& extents, std::uint64_t data, Coord x, int mu) {
  constexpr std::uint64_t link_bytes = 144;
  const bool is_odd = (x[0] + x[1] + x[2] + x[3]) % 2 != 0;
  if (!is_odd) x[mu] = (x[mu] + 1) % extents[mu];
  const std::int64_t place = x[2] + extents[2] * (x[1] + extents[1] * (x[0] + extents[0] * x[3]));
  const int number = 2 * ((mu + 1) % 4) + (is_odd ? 0 : 1);  // of directions t, x, y, z, forward and backward
  return data + (static_cast<std::uint64_t>(place / 2) * 8 + static_cast<std::uint64_t>(number)) * link_bytes;
}

constexpr std::uint64_t header_of_gauge = 24;

std::optional<flat::Sampled> sample_of(base::ByteSource& file, const Extents& extents, std::uint64_t all_up_to = 256) {
  return flat::sample_plaquette(
      file, extents, 3, ByteOrder::little,
      [&](const Coord& x, int mu) { return link_at(extents, header_of_gauge, x, mu); }, all_up_to);
}

// Invalid links, or a plaquette other than the stated one, mean damage, or another format.
Likeness likeness_of(base::ByteSource& file) {
  const auto seen = look(file);
  if (!seen) return look_local(file) ? Likeness::yes : Likeness::no;
  if (seen->kinds.front() != Kind::gauge) return Likeness::yes;
  constexpr int few_links = 64;  // of 8 odd sites, the minimum on any lattice
  const std::uint64_t data = seen->place.header_bytes() + head_bytes(Kind::gauge);
  if (!flat::begins_unitary(file, data, ByteOrder::little, 3, few_links)) return Likeness::maybe;
  // The plaquettes of a block are those within it.
  if (seen->place.is_block()) return Likeness::yes;
  const auto sample = sample_of(file, seen->place.extents);
  return sample && sample->agrees_with(real_at(file, data - 8) / 3) ? Likeness::yes : Likeness::maybe;
}

}  // namespace

std::optional<double> distance_of_plaquette(base::ByteSource& file, std::uint64_t most_sites) {
  const auto seen = look(file);
  if (!seen || seen->kinds.front() != Kind::gauge || seen->place.is_block()) return {};
  if (volume(seen->place.extents) > most_sites) return {};
  const auto all = sample_of(file, seen->place.extents, most_sites);
  if (!all) return {};
  return all->distance_from(real_at(file, header_of_gauge - 8) / 3);
}

namespace {

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

// The part of the header between the place and the data of a field.
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

// Even points form a separate field, on a lattice of half the extent in z.
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
  static constexpr std::string_view suffixes[] = {".openqcd"};
  return flat::row_of<OpenQcd>(
      {openqcd_name, contents_of_files, "four extents and a check value, size and links that fit", suffixes});
}
