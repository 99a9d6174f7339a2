// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal.hpp"

#include <algorithm>
#include <string_view>

#include "base/bytes.hpp"
#include "kernels/crc32.hpp"

namespace lq::io {

namespace {

constexpr std::string_view magic = "LQJOURN1";
constexpr std::size_t head_bytes = 24, crc_bytes = 4, place_bytes = 16;

void put_crc(std::vector<std::byte>& bytes) { base::append_le(bytes, kernels::crc32(0, bytes)); }

// The pieces whose positions are at `places`; false: they contradict each other or the length of the journal.
bool take_pieces(base::Bytes places, base::Bytes contents, Journal& journal) {
  std::uint64_t end = 0, total = 0;
  for (std::size_t at = 0; at < places.size(); at += place_bytes) {
    const auto offset = base::load_le<std::uint64_t>(places.data() + at);
    const auto bytes = base::load_le<std::uint64_t>(places.data() + at + 8);
    if (offset < end || offset > journal.bytes_before || bytes > journal.bytes_before - offset) return false;
    end = offset + bytes;
    total += bytes;
  }
  if (contents.size() % 2 != 0 || contents.size() / 2 != total) return false;
  base::Bytes before = contents.first(contents.size() / 2), after = contents.subspan(contents.size() / 2);
  for (std::size_t at = 0; at < places.size(); at += place_bytes) {
    const auto bytes = static_cast<std::size_t>(base::load_le<std::uint64_t>(places.data() + at + 8));
    journal.pieces.push_back({base::load_le<std::uint64_t>(places.data() + at),
                              {before.begin(), before.begin() + static_cast<std::ptrdiff_t>(bytes)},
                              {after.begin(), after.begin() + static_cast<std::ptrdiff_t>(bytes)}});
    before = before.subspan(bytes);
    after = after.subspan(bytes);
  }
  return true;
}

}  // namespace

std::vector<std::byte> encode_journal(const Journal& journal) {
  std::vector<std::byte> bytes;
  for (const char c : magic) bytes.push_back(static_cast<std::byte>(c));
  base::append_le(bytes, journal.bytes_before);
  base::append_le(bytes, journal.start_crc);
  put_crc(bytes);
  if (!journal.is_complete) return bytes;
  base::append_le(bytes, journal.bytes_after);
  base::append_le(bytes, static_cast<std::uint64_t>(journal.pieces.size()));
  for (const Journal::Piece& piece : journal.pieces) {
    base::append_le(bytes, piece.offset);
    base::append_le(bytes, static_cast<std::uint64_t>(piece.before.size()));
  }
  for (const Journal::Piece& piece : journal.pieces)
    bytes.insert(bytes.end(), piece.before.begin(), piece.before.end());
  for (const Journal::Piece& piece : journal.pieces) bytes.insert(bytes.end(), piece.after.begin(), piece.after.end());
  put_crc(bytes);
  return bytes;
}

std::optional<Journal> decode_journal(base::Bytes bytes) {
  if (bytes.size() < head_bytes || base::as_text(bytes.first(magic.size())) != magic) return {};
  if (!kernels::ends_in_crc32(bytes.first(head_bytes))) return {};
  Journal journal;
  journal.bytes_before = base::load_le<std::uint64_t>(bytes.data() + 8);
  journal.start_crc = base::load_le<std::uint32_t>(bytes.data() + 16);
  const Journal incomplete = journal;
  constexpr std::size_t fixed = head_bytes + 16 + crc_bytes;
  if (bytes.size() < fixed || !kernels::ends_in_crc32(bytes)) return incomplete;
  journal.bytes_after = base::load_le<std::uint64_t>(bytes.data() + head_bytes);
  const auto count = base::load_le<std::uint64_t>(bytes.data() + head_bytes + 8);
  const base::Bytes rest = bytes.subspan(head_bytes + 16, bytes.size() - fixed);
  if (count > rest.size() / place_bytes || journal.bytes_after < journal.bytes_before) return incomplete;
  const std::size_t places = static_cast<std::size_t>(count) * place_bytes;
  if (!take_pieces(rest.first(places), rest.subspan(places), journal)) return incomplete;
  journal.is_complete = true;
  return journal;
}

}  // namespace lq::io
