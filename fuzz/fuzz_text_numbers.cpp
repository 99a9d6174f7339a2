// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the numbers of a field that are written out: found and decoded, or an error. Tiles that are found lie
// one behind the other in the file, and what is decoded is written and decoded to the same bits.
#include <cstdint>
#include <vector>

#include <limequat/error.hpp>

#include "answers.hpp"
#include "format/raw/raw_format.hpp"

namespace {

using namespace lq;
using fuzz::require;
namespace raw = lq::format::raw;

void look(base::Bytes bytes, Precision precision, const char* order) {
  base::MemorySource source(bytes, "input");
  Payload payload;
  payload.spec = spinor_spec(precision, 2, 2);
  payload.spec.numbers = 8;
  payload.extents = {2, 1, 1, 2};
  raw::order_axes(payload, order, 1);
  const std::uint64_t end = raw::find_text(payload, source);
  require(end <= bytes.size(), "numbers end within the file");
  std::uint64_t last = 0;
  for (const Tile& tile : payload.tiles) {
    require(tile.offset >= last && tile.bytes <= end - tile.offset, "tiles lie one behind the other");
    last = tile.offset + tile.bytes;
    const format::TileCodec& codec = *raw::text_codec(payload.encoding);
    std::vector<std::byte> sites(payload.length / payload.tiles.size()), again(sites.size());
    codec.decode(bytes.subspan(tile.offset, tile.bytes), sites);
    const std::vector<std::byte> text = codec.encode(sites);
    require(text.size() <= codec.most_bytes(sites.size()), "a text is no longer than it may be");
    codec.decode(text, again);
    std::vector<std::byte> twice = codec.encode(again);
    require(twice == text, "numbers come back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Bytes bytes{reinterpret_cast<const std::byte*>(data), size};
  for (const Precision precision : {Precision::single, Precision::double_}) {
    for (const char* order : {"t z y x spin color reim", "reim t z y x color spin"}) {
      fuzz::attempt<Code::malformed, Code::truncated>([&] { look(bytes, precision, order); });
    }
  }
  return 0;
}
