// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/plan.hpp"

#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "format/lime/header.hpp"
#include "format/lime/lime_format.hpp"
#include "format/scidac/documents.hpp"
#include "format/scidac/records.hpp"

namespace lq::format::scidac {
namespace {

constexpr std::string_view declaration = "<?xml version=\"1.0\"?>\n";
constexpr std::string_view norm_type = "FieldNormMetaData";
constexpr SumName square_norm{SumKind::norm, SumOf::field};

// The same width for every number.
std::string norm_text(double norm) {
  return fmt::format("{}<FieldNormMetaData>\n  <norm2>{:24.17g}</norm2>\n</FieldNormMetaData>\n", declaration, norm);
}

std::string datatype_of(const FieldSpec& spec) {
  const char letter = spec.precision == Precision::single ? 'F' : 'D';
  if (spec.kind != FieldKind::spinor) return fmt::format("GRID_{}_Sites", letter);
  const std::string spins = spec.spins == 1 ? std::string() : fmt::format("SpinVector{}_", spec.spins);
  return fmt::format("GRID_{}_{}ColourVector{}", letter, spins, spec.colors);
}

std::string given_or(const Metadata& texts, std::string_view name, std::string made) {
  const std::string* const given = find_text(texts, name);
  return given != nullptr ? *given : std::move(made);
}

void check(const FieldRequest& request) {
  if (request.choices.layout != grid_layout) {
    base::fail(Code::invalid_argument,
               {.expected = std::string(grid_layout), .found = base::printable(request.choices.layout)},
               "unknown layout \"{}\" of the format scidac; the only one is \"{}\"",
               base::printable(request.choices.layout), grid_layout);
  }
  if (request.spec.kind == FieldKind::gauge || !request.choices.parts.empty() || request.stored) {
    throw Error(
        Code::unsupported,
        "the layout \"grid\" stores whole fields other than links, in one file; Grid itself stores links as ILDG");
  }
  check_metadata(request.metadata);
}

// In Grid's order; its readers skip unknown records.
std::vector<lime::Piece> field_records(const FieldRequest& request, std::uint64_t length) {
  RecordInfo info = record_info_of(request.spec);
  info.datatype = datatype_of(request.spec);
  const std::string user =
      given_or(request.metadata, type::record_xml,
               fmt::format("{}<emptyUserRecord>\n  <dummy>0</dummy>\n</emptyUserRecord>\n", declaration));
  const std::string header =
      given_or(request.metadata, type::grid_format, grid_header(request.extents, request.spec.precision));
  std::vector<lime::Piece> pieces{{std::string(type::grid_format), header, {}},
                                  {std::string(type::record_xml), user, {}},
                                  {std::string(type::private_record_xml), encode(info), {}}};
  Metadata others = request.metadata;
  std::erase_if(others, [](const auto& text) {
    return metadata_key(text.first) == type::grid_format || metadata_key(text.first) == norm_type;
  });
  for (lime::Piece& piece : user_records(others)) pieces.push_back(std::move(piece));
  pieces.push_back({std::string(type::ildg_binary_data), {}, length});
  pieces.push_back({std::string(norm_type), {}, norm_text(0).size()});
  pieces.push_back({std::string(type::checksum), {}, encode(Checksum{}).size()});
  return pieces;
}

}  // namespace

std::string grid_header(const Extents& lattice, Precision precision) {
  std::string text = fmt::format("{}<FieldMetaData>\n  <nd>{}</nd>\n  <dimension>\n", declaration, lattice.size());
  for (const std::int64_t extent : lattice) text += fmt::format("    <elem>{}</elem>\n", extent);
  text += "  </dimension>\n  <boundary>\n";
  for (int d = 0; d < lattice.size(); ++d) text += "    <elem>PERIODIC</elem>\n";
  text +=
      "  </boundary>\n  <data_start>0</data_start>\n  <hdr_version></hdr_version>\n"
      "  <storage_format></storage_format>\n  <link_trace>0</link_trace>\n  <plaquette>0</plaquette>\n"
      "  <checksum>0</checksum>\n  <scidac_checksuma>0</scidac_checksuma>\n"
      "  <scidac_checksumb>0</scidac_checksumb>\n  <sequence_number>0</sequence_number>\n";
  for (const std::string_view name : {"data_type", "ensemble_id", "ensemble_label", "ildg_lfn", "creator",
                                      "creator_hardware", "creation_date", "archive_date"}) {
    text += fmt::format("  <{}></{}>\n", name, name);
  }
  const std::string_view number = precision == Precision::double_ ? "IEEE64BIG" : "IEEE32BIG";
  return text + fmt::format("  <floating_point>{}</floating_point>\n</FieldMetaData>\n", number);
}

Layout plan_for_grid(const FieldRequest& request) {
  check(request);
  Payload payload;
  payload.spec = request.spec;
  payload.extents = request.extents;
  payload.stored = whole(request.extents);
  payload.length = base::multiply_or_throw(payload.stored.volume(), request.spec.site_bytes(), "the size of the field");
  lime::Placed placed;
  placed.end = request.offset;
  const std::string* const file_text = find_text(request.metadata, type::file_xml);
  if (request.first && file_text != nullptr) {
    lime::place_message({{std::string(type::file_xml), *file_text, {}}}, placed.end, placed);
  }
  lime::place_message(field_records(request, payload.length), placed.end, placed);
  const auto from_end = [&](std::size_t k) { return placed.offsets[placed.offsets.size() - k]; };
  payload.offset = from_end(3);
  Layout layout;
  layout.end = {placed.end};
  layout.head = std::move(placed.literals);
  layout.payload = {std::move(payload)};
  layout.sums = {{SumKind::scidac, SumOf::field}, square_norm};
  layout.tail = [norm_at = from_end(2), sum_at = from_end(1)](const Digest& digest) {
    const std::vector<std::uint32_t>& words = digest.sums.find(square_norm)->words;
    const auto value = std::bit_cast<double>((std::uint64_t{words.at(0)} << 32) | words.at(1));
    return std::vector<Literal>{literal_at(norm_at, norm_text(value)),
                                literal_at(sum_at, encode(digest.sums.checksum().value()))};
  };
  return layout;
}

}  // namespace lq::format::scidac
