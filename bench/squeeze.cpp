// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// bench_squeeze FILE [RUNS]: the tiles of the first field of a file, as `lq squeeze` cuts it, encoded and decoded in
// memory by one core, beside memcpy of the same tiles; by turns, medians, as JSON. Every tile is compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "archive/archive.hpp"
#include "archive/codec/tile.hpp"

#include "turns.hpp"

namespace {

using namespace lq;

struct Measured {
  std::string_view name;
  std::uint64_t bytes = 0, stored = 0;
  std::vector<double> encode = {}, decode = {};  // seconds of each round
};

// All tiles once: encode(tile) -> bytes, decode(bytes, tile).
template <class Encode, class Decode>
void round_of(base::Bytes payload, std::uint64_t tile_bytes, Measured& measured, const Encode& encode,
              const Decode& decode) {
  double encoding = 0, decoding = 0;
  std::vector<std::byte> encoded, back(static_cast<std::size_t>(tile_bytes));
  measured.stored = 0;
  for (std::size_t at = 0; at < payload.size(); at += back.size()) {
    const base::Bytes tile = payload.subspan(at, std::min(back.size(), payload.size() - at));
    encoding += seconds_of([&] { encode(tile, encoded); });
    const base::MutableBytes target = base::MutableBytes(back).first(tile.size());
    std::ranges::fill(target, std::byte{0});
    decoding += seconds_of([&] { decode(base::Bytes(encoded), target); });
    if (!std::ranges::equal(tile, target)) throw Error(Code::internal, "a tile did not come back");
    measured.stored += encoded.size();
  }
  measured.encode.push_back(encoding);
  measured.decode.push_back(decoding);
}

int run(const char* path, int runs) {
  const Catalog catalog = inspect(path);
  archive::Archive archive = archive::cut(catalog, {std::filesystem::file_size(path)});
  const auto data = std::ranges::find_if(archive.segments, &archive::Segment::is_squeezed);
  std::vector<std::byte> payload(static_cast<std::size_t>(data->length));
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(data->begin));
  file.read(reinterpret_cast<char*>(payload.data()), static_cast<std::streamsize>(payload.size()));
  if (!file) throw Error(Code::io, "cannot read the file");

  const format::TileCodec& codec = *archive::codec_named(archive::encoding_name(data->numbers));
  std::vector<Measured> all{{"squeeze"}, {"byte shuffle and zstd"}, {"memcpy"}};
  for (int k = 0; k < runs; ++k) {
    round_of(
        payload, data->tile_bytes, all[0], [&](base::Bytes tile, auto& to) { to = codec.encode(tile); },
        [&](base::Bytes from, base::MutableBytes tile) { codec.decode(from, tile); });
    round_of(
        payload, data->tile_bytes, all[1],
        [&](base::Bytes tile, auto& to) { to = archive::shuffle_and_compress(tile, data->numbers.bytes); },
        [&](base::Bytes from, base::MutableBytes tile) { archive::restore_shuffled(from, data->numbers.bytes, tile); });
    const auto copy = [](base::Bytes from, base::MutableBytes to) { std::memcpy(to.data(), from.data(), from.size()); };
    round_of(
        payload, data->tile_bytes, all[2],
        [&](base::Bytes tile, auto& to) {
          to.resize(tile.size());
          copy(tile, to);
        },
        copy);
  }
  std::printf("{\"tile_bytes\":%llu,\"results\":[", static_cast<unsigned long long>(data->tile_bytes));
  for (const Measured& one : all) {
    std::printf("%s{\"name\":\"%s\",\"bytes\":%zu,\"stored\":%llu,\"encode_seconds\":%.9g,\"decode_seconds\":%.9g}",
                &one == &all.front() ? "" : ",", std::string(one.name).c_str(), payload.size(),
                static_cast<unsigned long long>(one.stored), median(one.encode), median(one.decode));
  }
  std::puts("]}");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("usage: bench_squeeze FILE [RUNS]\n", stderr);
    return 2;
  }
  try {
    return run(words[1], count > 2 ? std::max(1, std::atoi(words[2])) : 5);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_squeeze: %s\n", error.what());
    return 1;
  }
}
