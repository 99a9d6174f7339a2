// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A format that only tests know, with what the real ones lack: tiles whose size is known when they are encoded, in two
// files in turn, numbers of a site in reverse order, little-endian, and sums of other kinds. Bytes of NAME.tiled:
//    0  "tiled 1\n"
//    8  u64 dimensions, u64 extents[8], u64 numbers per site, u64 bytes per number, u64 sites per tile, u64 tiles
//  112  the even tiles; those that are odd are in NAME.tiled.odd from byte 8, behind "tiles 1\n"
//       behind the last even tile: for each tile u64 offset, u64 bytes; then u32 words: nersc[1], sha256[8], weighted
//       of each slice[4 slices], crc32 of each tile[tiles]; then u64 offset of all this, which ends the file
#pragma once

#include <algorithm>
#include <array>

#include <limequat/error.hpp>

#include "format/format.hpp"
#include "support/run_codec.hpp"

namespace lq::testing {

class TiledFormat final : public format::Container, public format::FieldFormat {
 public:
  static constexpr std::uint64_t header_bytes = 112, odd_header_bytes = 8;

  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  Metadata carried(const Metadata&, bool) const override { return {}; }
  format::Layout plan_record(const format::RecordRequest&) const override {
    throw Error(Code::unsupported, "tiled files hold one field and nothing else");
  }
  void store_sums(base::EditedSource&, const Catalog&, const FieldEntry&, const format::Digest&) const override {
    throw Error(Code::unsupported, "tiled: its sums stay as they are");
  }
  const format::TileCodec* tile_codec(std::string_view encoding) const override {
    return encoding == "runs" ? &codec_ : nullptr;
  }

  format::Layout plan(const format::FieldRequest& request) const override {
    format::Layout layout;
    layout.suffixes = {"", ".odd"};
    layout.head = {{0, 0, header_of(request)}, {1, 0, bytes_of("tiles 1\n")}};
    layout.payload = {payload_of(request.spec, request.extents)};
    const Payload& payload = layout.payload.front();
    for (const SumName& name : kept) layout.sums.push_back(name);
    // More than this they may become, but rarely do.
    layout.end = {header_bytes + payload.length / 2, odd_header_bytes + payload.length / 2};
    layout.tail = [](const format::Digest& digest) {
      std::uint64_t at = header_bytes;
      std::vector<std::byte> bytes;
      for (const Tile& tile : digest.tiles) {
        put(bytes, tile.offset);
        put(bytes, tile.bytes);
        if (tile.file == 0) at = std::max(at, tile.offset + tile.bytes);
      }
      for (const SumName& name : kept) {
        for (const std::uint32_t word : digest.sums.find(name)->words) put(bytes, word);
      }
      put(bytes, at);
      return std::vector<format::Literal>{{0, at, std::move(bytes)}};
    };
    return layout;
  }

  format::Likeness recognise(base::ByteSource& file) const override {
    std::vector<std::byte> magic(8);
    return file.read_at(0, magic) == 8 && base::as_text(magic) == "tiled 1\n" ? format::Likeness::yes
                                                                              : format::Likeness::no;
  }

  Catalog scan(base::ByteSource& file, const Limits&) const override {
    Reader header(file, 8), end(file, file.size() - 8);
    const auto dimensions = header.take<std::uint64_t>();
    Extents extents = Coord::filled(static_cast<int>(dimensions), 0);
    for (int d = 0; d < 8; ++d) {
      const auto extent = static_cast<std::int64_t>(header.take<std::uint64_t>());
      if (d < extents.size()) extents[d] = extent;
    }
    const auto numbers = header.take<std::uint64_t>();
    const Precision precision = header.take<std::uint64_t>() == 4 ? Precision::single : Precision::double_;
    FieldEntry entry;
    entry.name = "field";
    entry.payload = payload_of(generic_spec(precision, numbers, false), extents);
    Reader index(file, end.take<std::uint64_t>());
    for (Tile& tile : entry.payload.tiles) {
      tile.offset = index.take<std::uint64_t>();
      tile.bytes = index.take<std::uint64_t>();
    }
    const std::size_t values[] = {1, 1, static_cast<std::size_t>(extents[extents.size() - 1]),
                                  entry.payload.tiles.size()};
    for (std::size_t i = 0; i < std::size(kept); ++i) {
      Sum sum{kept[i]};
      for (std::size_t n = 0; n < values[i] * words_of(kept[i].kind); ++n)
        sum.words.push_back(index.take<std::uint32_t>());
      entry.sums.set(std::move(sum));
    }
    Catalog catalog;
    catalog.path = file.path();
    catalog.format = "tiled";
    catalog.file_bytes = file.size();
    catalog.files = {file.path(), file.path() + ".odd"};
    catalog.records = {{.type = "tiles", .offset = header_bytes, .data_length = entry.payload.length}};
    catalog.fields = {entry};
    return catalog;
  }

  std::vector<Finding> validate(base::ByteSource&, const Catalog&) const override { return {}; }
  std::vector<Annotation> explain(base::ByteSource&, const Catalog&) const override { return {}; }

 private:
  static constexpr SumName kept[] = {{SumKind::nersc, SumOf::field},
                                     {SumKind::sha256, SumOf::field},
                                     {SumKind::weighted, SumOf::slices},
                                     {SumKind::crc32, SumOf::tiles}};

  class Reader {
   public:
    Reader(base::ByteSource& file, std::uint64_t offset) : file_(file), offset_(offset) {}
    template <class T>
    T take() {
      std::array<std::byte, sizeof(T)> bytes{};
      file_.read_at(offset_, bytes);
      offset_ += sizeof(T);
      return base::load_le<T>(bytes.data());
    }

   private:
    base::ByteSource& file_;
    std::uint64_t offset_;
  };

  template <class T>
  static void put(std::vector<std::byte>& bytes, T value) {
    bytes.resize(bytes.size() + sizeof(T));
    base::store_le(bytes.data() + bytes.size() - sizeof(T), value);
  }
  static std::vector<std::byte> bytes_of(std::string_view text) {
    const base::Bytes bytes = base::as_bytes(text);
    return {bytes.begin(), bytes.end()};
  }

  static std::vector<std::byte> header_of(const format::FieldRequest& request) {
    const Payload payload = payload_of(request.spec, request.extents);
    std::vector<std::byte> bytes = bytes_of("tiled 1\n");
    put(bytes, static_cast<std::uint64_t>(request.extents.size()));
    for (int d = 0; d < 8; ++d) {
      put(bytes, static_cast<std::uint64_t>(d < request.extents.size() ? request.extents[d] : 0));
    }
    put(bytes, request.spec.numbers);
    put(bytes, request.spec.number_bytes());
    put(bytes, payload.tile_sites);
    put(bytes, static_cast<std::uint64_t>(payload.tiles.size()));
    return bytes;
  }

  // A tile is a plane of the two fastest dimensions and a half, so that planes and slices cut tiles.
  static Payload payload_of(const FieldSpec& spec, const Extents& extents) {
    Payload payload;
    payload.spec = spec;
    payload.extents = extents;
    payload.stored = whole(extents);
    payload.length = volume(extents) * spec.site_bytes();
    payload.byte_order = ByteOrder::little;
    for (std::uint64_t n = spec.numbers; n-- > 0;) payload.codec.order.push_back(static_cast<std::uint32_t>(n));
    payload.tile_sites = static_cast<std::uint64_t>(extents[0] * extents[1] * 3 / 2);
    payload.encoding = "runs";
    const std::uint64_t tiles = (volume(extents) + payload.tile_sites - 1) / payload.tile_sites;
    for (std::uint64_t k = 0; k < tiles; ++k) {
      payload.tiles.push_back({static_cast<int>(k % 2), k % 2 == 0 ? header_bytes : odd_header_bytes, 0});
    }
    return payload;
  }

  RunCodec codec_;
};

}  // namespace lq::testing
