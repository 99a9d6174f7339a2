// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/openqcd/plan.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "format/flat/binary_header.hpp"
#include "format/flat/flat.hpp"
#include "format/openqcd/blocks.hpp"
#include "format/openqcd/local.hpp"
#include "format/parts.hpp"

namespace lq::format::openqcd {
namespace {

// Local files of openQCD 2.4 (formats/openqcd.md 9) as they are written: one for each of its processes.

constexpr std::string_view layout_name = "local";
constexpr std::uint64_t words_of_header = 17, smallest_local = 4;

// Behind the name of the layout, how the threads of openQCD share a process: "local:2x1x1x1".
Extents threads_of(const std::string& layout) {
  if (layout == layout_name) return Coord::filled(4, 1);
  return parse_extents(layout.substr(layout_name.size() + 1));
}

[[noreturn]] void refuse_order(const Extents& local, const Extents& threads) {
  throw Error(Code::unsupported,
              fmt::format("openQCD keeps the points of a process of {}, shared by threads as {}, in blocks of odd or "
                          "unlike extents, or gives a thread less than 4 points in a direction; such local files are "
                          "not written: take another process grid, or the exported form",
                          to_string(local), to_string(threads)));
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

// Whether they are asked for. invalid_argument: a layout is that nobody knows.
bool is_local(const FieldRequest& request) {
  const std::string& layout = request.choices.layout;
  if (layout.empty() || layout == "exported") return false;
  if (layout == layout_name || layout.starts_with(fmt::format("{}:", layout_name))) return true;
  throw Error(Code::invalid_argument,
              fmt::format("unknown layout \"{}\" of openQCD files; choose exported, local, or local:2x1x1x1 to state "
                          "how openQCD's threads share a process",
                          base::printable(layout)),
              {.expected = "exported, local", .found = base::printable(layout)});
}

// Of a gauge field. invalid_argument: the process grid is not told. unsupported: the order of points is none that is
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

// What every file of a field begins with, except for the place of a block.
struct FieldHead {
  Kind kind;
  double value = 0;      // the check value, where it is known
  bool is_late = false;  // of links: it is known when the data have passed

  std::string operator()(const std::string& place) const {
    flat::HeaderWriter header(ByteOrder::little);
    if (kind == Kind::spinor) header.integer(0);
    header.real(value);
    return place + header.bytes();
  }
};

// The check value as it is in the file, out of what is known when the data have passed.
std::string value_of(Kind kind, const Digest& digest) {
  flat::HeaderWriter value(ByteOrder::little);
  if (kind == Kind::gauge) return value.real(3 * digest.plaquette.value()).bytes();
  if (kind == Kind::u1) return value.real(digest.plaquette.value()).bytes();
  const std::vector<std::uint32_t>& words =
      digest.sums.find(kind == Kind::momenta ? momentum_action : square_norm)->words;
  return value.word(words.at(1)).word(words.at(0)).bytes();
}

// Check values that are known then only are put into every file.
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

// U(1) links behind the gauge field of openQ*D.
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

}  // namespace lq::format::openqcd
