// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// bench_squeeze FILE [RUNS]: the tiles of the first field of a file, as `lq squeeze` cuts it, encoded and decoded in
// memory by one core, beside memcpy of the same tiles; by turns, medians, as JSON. Every tile is compared.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
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
  std::vector<double> encode = {}, decode = {};          // seconds of each round
  std::vector<double> encode_cpu = {}, decode_cpu = {};  // of the processor, where others run as well
};

double cpu_seconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) / static_cast<double>(CLOCKS_PER_SEC);
}

// As Linux calls it; empty elsewhere.
std::string processor_name() {
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(':') + 2, line.size()));
  }
  return "";
}

// All tiles once: encode(tile) -> bytes, decode(bytes, tile).
template <class Encode, class Decode>
void round_of(base::Bytes payload, std::uint64_t tile_bytes, Measured& measured, const Encode& encode,
              const Decode& decode) {
  double encoding = 0, decoding = 0, encoding_cpu = 0, decoding_cpu = 0;
  std::vector<std::byte> encoded, back(static_cast<std::size_t>(tile_bytes));
  measured.stored = 0;
  for (std::size_t at = 0; at < payload.size(); at += back.size()) {
    const base::Bytes tile = payload.subspan(at, std::min(back.size(), payload.size() - at));
    std::clock_t begin = std::clock();
    encoding += seconds_of([&] { encode(tile, encoded); });
    encoding_cpu += cpu_seconds_since(begin);
    const base::MutableBytes target = base::MutableBytes(back).first(tile.size());
    std::ranges::fill(target, std::byte{0});
    begin = std::clock();
    decoding += seconds_of([&] { decode(base::Bytes(encoded), target); });
    decoding_cpu += cpu_seconds_since(begin);
    if (std::memcmp(tile.data(), target.data(), tile.size()) != 0)
      throw Error(Code::internal, "a tile did not come back");
    measured.stored += encoded.size();
  }
  measured.encode.push_back(encoding);
  measured.decode.push_back(decoding);
  measured.encode_cpu.push_back(encoding_cpu);
  measured.decode_cpu.push_back(decoding_cpu);
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
  std::printf("{\"tile_bytes\":%llu,\"processor\":\"%s\",\"results\":[",
              static_cast<unsigned long long>(data->tile_bytes), processor_name().c_str());
  for (const Measured& one : all) {
    std::printf(
        "%s{\"name\":\"%s\",\"bytes\":%zu,\"stored\":%llu,\"encode_seconds\":%.9g,\"decode_seconds\":%.9g,"
        "\"encode_cpu_seconds\":%.9g,\"decode_cpu_seconds\":%.9g}",
        &one == &all.front() ? "" : ",", std::string(one.name).c_str(), payload.size(),
        static_cast<unsigned long long>(one.stored), median(one.encode), median(one.decode), median(one.encode_cpu),
        median(one.decode_cpu));
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
