// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/lime/place.hpp"

#include "base/checked.hpp"
#include "format/lime/header.hpp"

namespace lq::format::lime {
namespace {

void append(std::vector<Literal>& literals, std::uint64_t offset, base::Bytes bytes) {
  if (bytes.empty()) return;
  if (literals.empty() || literals.back().offset + literals.back().bytes.size() != offset) {
    literals.push_back({0, offset, {}});
  }
  std::vector<std::byte>& target = literals.back().bytes;
  target.insert(target.end(), bytes.begin(), bytes.end());
}

}  // namespace

void place_message(const std::vector<Piece>& pieces, std::uint64_t offset, Placed& placed) {
  constexpr std::array<std::byte, 8> zeros{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    Header header;
    header.mb_flag = i == 0;
    header.me_flag = i + 1 == pieces.size();
    header.data_length = piece.data_length();
    header.type = piece.type;
    append(placed.literals, offset, encode(header));

    const std::uint64_t payload = base::add_or_throw(offset, header_bytes, "the size of the file");
    const std::uint64_t behind = base::add_or_throw(payload, header.data_length, "the size of the file");
    if (!piece.reserved) append(placed.literals, payload, base::as_bytes(piece.contents));
    append(placed.literals, behind, base::Bytes(zeros).first(padding(header.data_length)));
    placed.offsets.push_back(payload);
    offset = base::add_or_throw(behind, padding(header.data_length), "the size of the file");
  }
  placed.end = offset;
}

Layout plan_record(std::string_view type, std::string_view contents, std::uint64_t offset) {
  require_own_type(type);
  Placed placed;
  place_message({Piece{std::string(type), std::string(contents), {}}}, offset, placed);
  Layout layout;
  layout.head = std::move(placed.literals);
  layout.end = {placed.end};
  return layout;
}

}  // namespace lq::format::lime
