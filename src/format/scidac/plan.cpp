// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <limequat/version.hpp>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/xml.hpp"
#include "format/record_texts.hpp"
#include "format/scidac/program_texts.hpp"
#include "format/scidac/records.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::scidac {
namespace {

using base::xml::element;

constexpr std::array<std::string_view, 3> pseudo_names{"plaquette", "link_trace", "date"};
constexpr std::array<std::string_view, 4> standard_names{type::file_xml, type::record_xml, type::ildg_data_lfn,
                                                         type::xlf_info};

// Grid's records with checksums and norms of the stored numbers.
constexpr std::array<std::string_view, 2> names_of_numbers{"grid-format", "FieldNormMetaData"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) noexcept {
  return std::ranges::find(names, name) != names.end();
}

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  const std::string shown = base::printable(name);
  base::fail(Code::invalid_argument, {.record = shown}, "record \"{}\": {}", shown, why);
}

std::string creator() { return fmt::format("limequat {}", version()); }

// The number under a pseudo name, or empty.
std::optional<double> number_of(const Metadata& metadata, std::string_view name) {
  const std::string* text = find_text(metadata, name);
  if (!text) return {};
  const auto number = base::parse_double(base::trim(*text));
  if (!number) refuse(name, fmt::format("\"{}\" is no number", base::printable(*text)));
  return number;
}

std::string usqcd_info(const Metadata& metadata) {
  std::string text = fmt::format("{}<usqcdInfo><version>1.0</version>", xml_declaration);
  if (const auto plaquette = number_of(metadata, "plaquette")) text += fmt::format("<plaq>{:.12f}</plaq>", *plaquette);
  if (const auto trace = number_of(metadata, "link_trace")) text += fmt::format("<linktr>{:.12f}</linktr>", *trace);
  return text + element("info", creator()) + "</usqcdInfo>";
}

std::string title(std::string_view what) { return fmt::format("{}{}", xml_declaration, element("title", what)); }

}  // namespace

const std::string* find_text(const Metadata& metadata, std::string_view name) noexcept {
  for (const auto& [key, text] : metadata) {
    if (metadata_key(key) == name) return &text;
  }
  return nullptr;
}

void check_user_type(std::string_view name) {
  lime::check_type(name);
  if (is_structural(name)) refuse(name, "only the library writes records of this type; choose another name");
  lime::require_own_type(name);
}

void check_metadata(const Metadata& metadata) {
  for (const auto& [name, text] : metadata) {
    check_user_type(name);
    const std::string_view key = metadata_key(name);
    const auto same = [&](const auto& other) { return metadata_key(other.first) == key; };
    const bool single = is_in(pseudo_names, key) || is_in(standard_names, key);
    if (single && std::ranges::count_if(metadata, same) > 1) refuse(name, "given more than once; a field has one");
  }
  number_of(metadata, "plaquette");
  number_of(metadata, "link_trace");
}

Metadata carried_texts(const Metadata& texts, bool precision_changes) {
  Metadata carried;
  for (const auto& [name, text] : texts) {
    const std::string_view key = metadata_key(name);
    const bool second = is_in(standard_names, key) && find_text(carried, key) != nullptr;
    const bool outdated = precision_changes && is_in(names_of_numbers, key);
    const bool ours = is_structural(name) || is_in(pseudo_names, key);
    if (lime::is_type(name) && !ours && !second && !outdated) carried.emplace_back(name, text);
  }
  return carried;
}

std::string file_xml_text(const Metadata& metadata) {
  const std::string* given = find_text(metadata, type::file_xml);
  return with_nul(given ? *given : title("lattice field file"));
}

std::string record_xml_text(const Metadata& metadata, const FieldSpec& spec, std::string_view field_name) {
  const std::string* given = find_text(metadata, type::record_xml);
  if (given) return with_nul(*given);
  return with_nul(spec.kind == FieldKind::gauge ? usqcd_info(metadata) : title(field_name));
}

std::string xlf_info_text(const Metadata& metadata) {
  if (const std::string* given = find_text(metadata, type::xlf_info)) return *given;
  const auto plaquette = number_of(metadata, "plaquette");
  if (!plaquette) return fmt::format("creator = {}\n", creator());
  return fmt::format("plaquette = {:14.12f}\n creator = {}\n", *plaquette, creator());
}

std::string with_nul(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text + '\0';
}

std::vector<lime::Piece> user_records(const Metadata& metadata, std::string_view except) {
  std::vector<lime::Piece> pieces;
  for (const auto& [name, text] : metadata) {
    const std::string_view key = metadata_key(name);
    const bool placed_elsewhere = key == type::file_xml || key == type::record_xml || key == type::xlf_info;
    if (is_in(pseudo_names, key) || placed_elsewhere || key == except) continue;
    pieces.push_back({name, text, {}});
  }
  return pieces;
}

namespace {

// The files of a field in parts as QIO writes them (formats/scidac.md 4.6): their names, and the list of sites at
// the beginning of each.

// Bytes per entry.
std::uint64_t entry_width(const Parts& parts) noexcept {
  return volume(parts.extents()) > (std::uint64_t{1} << 32) ? 8 : 4;
}

// ".vol0000", ...
std::vector<std::string> volume_suffixes(const Parts& parts) {
  std::vector<std::string> names;
  for (std::uint64_t k = 0; k < parts.count(); ++k) names.push_back(fmt::format(".vol{:04}", k));
  return names;
}

std::uint64_t list_length(const Parts& parts) noexcept { return parts.sites() * entry_width(parts); }

// The list of the sites of part `number`, at that offset.
Bulk site_list(const Parts& parts, int number, std::uint64_t offset) {
  const Coord lower =
      parts.lower(static_cast<std::uint64_t>(number), lattice::resolve_order({}, parts.extents().size()));
  const auto fill = [lower, block = parts.block(), extents = parts.extents(), width = entry_width(parts)](
                        std::uint64_t at, base::MutableBytes bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += width) {
      Coord x = lattice::site_of_rank((at + i) / width, block);
      for (int d = 0; d < x.size(); ++d) x[d] += lower[d];
      const std::uint64_t rank = lattice::site_rank(x, extents);
      if (width == 4) {
        base::store_be(bytes.data() + i, static_cast<std::uint32_t>(rank));
      } else {
        base::store_be(bytes.data() + i, rank);
      }
    }
  };
  return {number, offset, list_length(parts), fill};
}

using lime::Piece;

void check_request(const FieldRequest& request) {
  const int dimensions = request.extents.size();
  bool sound = dimensions >= 1 && request.spec.numbers >= 1;
  for (const std::int64_t extent : request.extents) sound = sound && extent >= 1;
  if (request.spec.kind == FieldKind::gauge) {
    const auto links = static_cast<std::uint64_t>(std::max(request.spec.links, 0));
    sound = sound && links >= 1 && request.spec.numbers % links == 0;
  }
  if (!sound) {
    base::fail(Code::invalid_argument, {},
               "a lattice of \"{}\" with {} numbers per site cannot be written; extents and numbers must be at least 1",
               to_string(request.extents), request.spec.numbers);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(request.name, is_control)) {
    base::fail(Code::invalid_argument, {}, "the field name \"{}\" contains control characters; choose another",
               base::printable(request.name));
  }
  check_metadata(request.metadata);
}

Payload payload_of(const FieldRequest& request) {
  Payload payload;
  payload.spec = request.spec;
  payload.extents = request.extents;
  payload.stored = request.stored.value_or(whole(request.extents));
  payload.length = base::multiply_or_throw(payload.stored.volume(), request.spec.site_bytes(), "the size of the field");
  return payload;
}

// The list of sites is the second piece.
std::vector<Piece> file_message(const FieldRequest& request, const std::optional<Parts>& parts) {
  constexpr std::uint64_t in_parts = 2;
  std::vector<Piece> pieces = {
      {std::string(type::private_file_xml), encode(FileInfo{request.extents, parts ? in_parts : 0}), {}}};
  if (parts) pieces.push_back({std::string(type::sitelist), {}, list_length(*parts)});
  pieces.push_back({std::string(type::file_xml), file_xml_text(request.metadata), {}});
  return pieces;
}

// The other files of a field in parts: each has its list of sites and its data.
void place_others(const Parts& parts, const std::string& data_type, std::uint64_t length, Layout& layout,
                  std::vector<std::uint64_t>& offsets) {
  const auto count = static_cast<int>(parts.count());
  for (int k = 1; k < count; ++k) {
    lime::Placed placed;
    lime::place_message({{std::string(type::sitelist), {}, list_length(parts)}}, placed.end, placed);
    lime::place_message({{data_type, {}, length}}, placed.end, placed);
    for (Literal& literal : placed.literals) {
      literal.file = k;
      layout.head.push_back(std::move(literal));
    }
    layout.bulk.push_back(site_list(parts, k, placed.offsets[0]));
    offsets.push_back(placed.offsets[1]);
    layout.end.push_back(placed.end);
  }
}

std::uint64_t slices_of(const FieldRequest& request) {
  const Box stored = request.stored.value_or(whole(request.extents));
  return static_cast<std::uint64_t>(stored.extents[stored.extents.size() - 1]);
}

// The positions in the message of pieces whose contents depend on the data.
struct FieldMessage {
  std::vector<Piece> pieces;
  std::size_t data = 0;
  std::optional<std::size_t> slices, checksum;
};

FieldMessage field_message(const FieldRequest& request, const PlanStyle& style, std::uint64_t length) {
  RecordInfo info = record_info_of(request.spec);
  const std::string* const text = find_text(request.metadata, type::record_xml);
  if (const auto quda = text ? quda_text_of(*text) : std::nullopt) describe_as_quda(*quda, request.spec, info);
  if (request.stored && *request.stored != whole(request.extents)) set_box(info, *request.stored);
  if (const std::string* date = find_text(request.metadata, "date")) info.date = *date;
  FieldMessage message;
  std::vector<Piece>& pieces = message.pieces;
  pieces.push_back({std::string(type::private_record_xml), encode(info), {}});
  pieces.push_back({std::string(type::record_xml), record_xml_text(request.metadata, request.spec, request.name), {}});
  pieces.insert(pieces.end(), style.descriptions.begin(), style.descriptions.end());
  pieces.push_back({std::string(type::xlf_info), xlf_info_text(request.metadata), {}});
  for (Piece& piece : user_records(request.metadata, style.settled)) pieces.push_back(std::move(piece));
  const FieldKind kind = request.spec.kind;
  const bool plain_name = request.name.empty() || request.name == default_name(kind) || request.name == name(kind);
  if (!plain_name) pieces.push_back({std::string(type::limequat_name), request.name, {}});

  if (kind == FieldKind::generic && request.checksum) {
    const std::string* const shape = find_text(request.metadata, type::limequat_site_shape);
    std::string document = pieces.front().contents;
    document.pop_back();  // its NUL
    pieces.push_back({std::string(type::limequat_description),
                      encode_description(request.extents, document, plain_name ? "" : request.name,
                                         shape != nullptr ? *shape : std::string_view()),
                      {}});
  }
  const std::uint64_t slices = slices_of(request);
  if (request.checksum && request.slice_checksums && slices_length(slices) <= slices_limit) {
    message.slices = pieces.size();
    pieces.push_back({std::string(type::limequat_slices), {}, slices_length(slices)});
  }
  message.data = pieces.size();
  pieces.push_back({style.data_type, {}, length});
  if (request.checksum) {
    message.checksum = pieces.size();
    pieces.push_back({std::string(type::checksum), {}, encode(Checksum{}).size()});
  }
  return message;
}

// Adds known observables of the links unless a text states them.
void add_observables(FieldRequest& request) {
  const bool is_described =
      find_text(request.metadata, type::record_xml) || find_text(request.metadata, type::xlf_info);
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (!value || is_described || find_text(request.metadata, name)) return;
    request.metadata.emplace_back(name, fmt::format("{:.12f}", *value));
  };
  add("plaquette", request.plaquette);
  add("link_trace", request.link_trace);
}

}  // namespace

Literal literal_at(std::uint64_t offset, const std::string& text) {
  const base::Bytes bytes = base::as_bytes(text);
  return {0, offset, {bytes.begin(), bytes.end()}};
}

void set_box(RecordInfo& info, const Box& stored) {
  info.type = RecordType::hypercube;
  info.lower = stored.lower;
  info.upper = stored.lower;
  for (int d = 0; d < stored.lower.size(); ++d) info.upper[d] += stored.extents[d] - 1;
}

RecordInfo record_info_of(const FieldSpec& spec) {
  const char letter = spec.precision == Precision::single ? 'F' : 'D';
  RecordInfo info;
  info.precision = std::string(1, letter);
  info.colors = static_cast<std::uint64_t>(spec.colors);
  info.spins = static_cast<std::uint64_t>(spec.spins);
  info.typesize = spec.site_bytes();
  info.datacount = 1;
  switch (spec.kind) {
    case FieldKind::gauge:
      info.datatype = fmt::format("QDP_{}{}_ColorMatrix", letter, spec.colors);
      info.spins = 1;
      info.datacount = static_cast<std::uint64_t>(spec.links);
      info.typesize = spec.site_bytes() / info.datacount;
      break;
    case FieldKind::spinor:
      info.datatype =
          fmt::format("USQCD_{}{}_{}", letter, spec.colors, spec.spins == 1 ? "ColorVector" : "DiracFermion");
      break;
    case FieldKind::propagator:
      info.datatype = "Lattice";
      break;
    case FieldKind::generic:
      info.datatype = fmt::format("LQ_Sites_{}_{}", letter, spec.is_complex ? "Complex" : "Real");
      info.colors = 0;
      info.spins = 0;
      break;
  }
  return info;
}

Layout plan_field(const FieldRequest& asked, const PlanStyle& style) {
  FieldRequest request = asked;
  add_observables(request);
  check_request(request);
  const std::optional<Parts> parts = Parts::of(request);
  Payload payload = payload_of(request);
  const std::uint64_t length = parts ? payload.length / parts->count() : payload.length;
  lime::Placed placed;
  placed.end = request.offset;
  if (request.first) lime::place_message(file_message(request, parts), placed.end, placed);
  const FieldMessage message = field_message(request, style, length);
  const std::size_t before = placed.offsets.size();
  lime::place_message(message.pieces, placed.end, placed);

  payload.offset = placed.offsets[before + message.data];
  Layout layout;
  layout.head = std::move(placed.literals);
  layout.end = {placed.end};
  if (parts) {
    std::vector<std::uint64_t> offsets{payload.offset};
    layout.suffixes = volume_suffixes(*parts);
    layout.bulk.push_back(site_list(*parts, 0, placed.offsets[1]));
    place_others(*parts, style.data_type, length, layout, offsets);
    parts->place(payload, offsets);
  }
  layout.payload = {payload};
  if (!message.checksum) return layout;

  layout.sums = {{SumKind::scidac, SumOf::field}};
  if (message.slices) layout.sums.insert(layout.sums.end(), {slice_checksums, slice_weights});
  const std::uint64_t checksum_at = placed.offsets[before + *message.checksum];
  std::optional<std::uint64_t> slices_at;
  if (message.slices) slices_at = placed.offsets[before + *message.slices];
  const auto slices = static_cast<std::size_t>(slices_of(request));
  layout.tail = [checksum_at, slices_at, slices](const Digest& digest) {
    std::vector<Literal> literals;
    if (slices_at) {
      const std::size_t found = digest.sums.slices().size();
      if (found != slices) {
        base::fail(Code::internal, {}, "{} checksums of slices were computed, but the file has space for {}", found,
                   slices);
      }
      literals.push_back(literal_at(*slices_at, encode_slices(digest.sums)));
    }
    literals.push_back(literal_at(checksum_at, encode(digest.sums.checksum().value())));
    return literals;
  };
  return layout;
}

}  // namespace lq::format::scidac
