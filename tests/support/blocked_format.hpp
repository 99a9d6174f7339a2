// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A format that only tests know, of which every file looks as its maker was told: sites in any order and byte order,
// numbers dealt into arrays, runs or blocks of any extents with padding at the edge, encoded or not. Bytes of a file:
//    0  "blocked\n"
//    8  u64 dimensions, u64 extents[8], u64 numbers per site, u64 bytes per number
//   96  tiles, the last one first, with 24 bytes between them that nobody writes (encoded: the first one first)
//       behind them for each tile u64 offset, u64 bytes; then u32 words of the sums, in the order of `sums`; then u64
//       offset of all this, which ends the file
#pragma once

#include <algorithm>
#include <array>

#include <limequat/error.hpp>

#include "format/format.hpp"
#include "lattice/tile_map.hpp"
#include "support/run_codec.hpp"

namespace lq::testing {

struct BlockedShape {
  SiteOrder order = {};
  std::uint64_t arrays = 1;
  Extents block = {};           // empty: runs
  std::uint64_t run_sites = 0;  // of a run; 0: all of them
  bool is_encoded = false;
  ByteOrder byte_order = ByteOrder::little;
};

class BlockedFormat final : public format::Container, public format::FieldFormat {
 public:
  static constexpr std::uint64_t header_bytes = 96, gap_bytes = 24;
  static constexpr SumName sums[] = {{SumKind::scidac, SumOf::field}, {SumKind::nersc, SumOf::field}};

  explicit BlockedFormat(BlockedShape shape) : shape_(std::move(shape)) {}

  bool is_for(const FieldSpec&, const Extents&) const override { return true; }
  Metadata carried(const Metadata&, bool) const override { return {}; }
  format::Layout plan_record(const format::RecordRequest&) const override {
    throw Error(Code::unsupported, "blocked files hold one field and nothing else");
  }
  void store_sums(base::EditedSource&, const Catalog&, const FieldEntry&, const format::Digest&) const override {
    throw Error(Code::unsupported, "blocked: its sums stay as they are");
  }
  const format::TileCodec* tile_codec(std::string_view encoding) const override {
    return encoding == "runs" ? &codec_ : nullptr;
  }

  // How often a tile was decoded.
  int decoded() const noexcept { return codec_.decoded.load(); }

  // All of a payload but where its tiles lie.
  Payload payload_of(const FieldSpec& spec, const Extents& extents) const {
    Payload payload;
    payload.spec = spec;
    payload.extents = extents;
    payload.stored = whole(extents);
    payload.length = volume(extents) * spec.site_bytes();
    payload.offset = header_bytes;
    payload.byte_order = shape_.byte_order;
    payload.order = shape_.order;
    payload.arrays = shape_.arrays;
    payload.block = shape_.block;
    payload.tile_sites = shape_.block.size() > 0 ? volume(shape_.block)
                         : shape_.run_sites > 0  ? shape_.run_sites
                                                 : volume(extents);
    payload.encoding = shape_.is_encoded ? "runs" : "";
    payload.tiles.resize(static_cast<std::size_t>(shape_.arrays * lattice::TileMap(payload).tiles()));
    return payload;
  }

  format::Layout plan(const format::FieldRequest& request) const override {
    format::Layout layout;
    layout.payload = {payload_of(request.spec, request.extents)};
    Payload& payload = layout.payload.front();
    const std::uint64_t end = place(payload);
    layout.head = {{0, 0, header_of(request)}};
    layout.sums.assign(std::begin(sums), std::end(sums));
    std::uint64_t words = 0;
    for (const SumName& name : sums) words += words_of(name.kind);
    layout.end = {end + 16 * payload.tiles.size() + 4 * words + 8};
    layout.tail = [end, tiles = payload.tiles, is_encoded = shape_.is_encoded](const format::Digest& digest) {
      std::uint64_t at = end;
      std::vector<std::byte> bytes;
      for (const Tile& tile : digest.tiles) {
        put(bytes, tile.offset);
        put(bytes, tile.bytes);
        if (is_encoded) at = std::max(at, tile.offset + tile.bytes);
      }
      for (const SumName& name : sums) {
        for (const std::uint32_t word : digest.sums.find(name)->words) put(bytes, word);
      }
      put(bytes, at);
      return std::vector<format::Literal>{{0, at, std::move(bytes)}};
    };
    return layout;
  }

  format::Likeness recognise(base::ByteSource& file) const override {
    std::vector<std::byte> magic(8);
    return file.read_at(0, magic) == 8 && base::as_text(magic) == "blocked\n" ? format::Likeness::yes
                                                                              : format::Likeness::no;
  }

  Catalog scan(base::ByteSource& file, const Limits&) const override {
    std::uint64_t at = 8;
    Extents extents = Coord::filled(static_cast<int>(take<std::uint64_t>(file, at)), 0);
    for (int d = 0; d < 8; ++d) {
      const auto extent = static_cast<std::int64_t>(take<std::uint64_t>(file, at));
      if (d < extents.size()) extents[d] = extent;
    }
    const auto numbers = take<std::uint64_t>(file, at);
    const Precision precision = take<std::uint64_t>(file, at) == 4 ? Precision::single : Precision::double_;
    FieldEntry entry;
    entry.name = "field";
    entry.payload = payload_of(generic_spec(precision, numbers, false), extents);
    at = file.size() - 8;
    at = take<std::uint64_t>(file, at);
    for (Tile& tile : entry.payload.tiles) {
      tile.offset = take<std::uint64_t>(file, at);
      tile.bytes = take<std::uint64_t>(file, at);
    }
    for (const SumName& name : sums) {
      Sum sum{name};
      for (std::size_t n = 0; n < words_of(name.kind); ++n) sum.words.push_back(take<std::uint32_t>(file, at));
      entry.sums.set(std::move(sum));
    }
    Catalog catalog;
    catalog.path = file.path();
    catalog.format = "blocked";
    catalog.file_bytes = file.size();
    catalog.records = {{.type = "tiles", .offset = header_bytes, .data_length = entry.payload.length}};
    catalog.fields = {entry};
    return catalog;
  }

  std::vector<Finding> validate(base::ByteSource&, const Catalog&) const override { return {}; }
  std::vector<Annotation> explain(base::ByteSource&, const Catalog&) const override { return {}; }

 private:
  template <class T>
  static T take(base::ByteSource& file, std::uint64_t& at) {
    std::array<std::byte, sizeof(T)> bytes{};
    file.read_at(at, bytes);
    at += sizeof(T);
    return base::load_le<T>(bytes.data());
  }
  template <class T>
  static void put(std::vector<std::byte>& bytes, T value) {
    bytes.resize(bytes.size() + sizeof(T));
    base::store_le(bytes.data() + bytes.size() - sizeof(T), value);
  }

  // Returns where they end.
  std::uint64_t place(Payload& payload) const {
    const lattice::TileMap map(payload);
    std::uint64_t at = header_bytes;
    for (std::size_t k = payload.tiles.size(); k-- > 0;) {
      if (shape_.is_encoded) {
        payload.tiles[k].offset = header_bytes;
        continue;
      }
      payload.tiles[k] = {0, at, map.places(k % map.tiles()) * payload.site_bytes() / payload.arrays};
      at += payload.tiles[k].bytes + gap_bytes;
    }
    return at;
  }

  static std::vector<std::byte> header_of(const format::FieldRequest& request) {
    const base::Bytes magic = base::as_bytes(std::string_view("blocked\n"));
    std::vector<std::byte> bytes(magic.begin(), magic.end());
    put(bytes, static_cast<std::uint64_t>(request.extents.size()));
    for (int d = 0; d < 8; ++d) {
      put(bytes, static_cast<std::uint64_t>(d < request.extents.size() ? request.extents[d] : 0));
    }
    put(bytes, request.spec.numbers);
    put(bytes, request.spec.number_bytes());
    return bytes;
  }

  BlockedShape shape_;
  RunCodec codec_;
};

}  // namespace lq::testing
