// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as an archive: scanned, validated, explained, restored. And any bytes as a tile of each kind of numbers,
// with its head put right, or no input would come far.
#include <cstdint>
#include <vector>

#include <limequat/error.hpp>

#include "answers.hpp"
#include "archive/archive.hpp"
#include "archive/codec/tile.hpp"

namespace {

using namespace lq;

using fuzz::require;

template <class Work>
void attempt(Work&& work) {
  fuzz::attempt<Code::malformed, Code::truncated, Code::too_large, Code::checksum_mismatch, Code::invalid_argument,
                Code::unsupported>(work);
}

void restore(base::ByteSource& file) {
  format::Findings findings;
  const archive::Archive archive = archive::read_archive(file, {.records = 1000}, findings).archive;
  archive::RestoredSource restored(file, archive);
  std::vector<std::byte> bytes(4096);
  for (std::uint64_t at = 0; at < restored.size() && at < 64 * bytes.size();) at += restored.read_at(at, bytes);
}

void look(base::Bytes bytes) {
  base::MemorySource file(bytes, "fuzz.sqz");
  const format::Container& container = *archive::format().container;
  if (container.recognise(file) != format::Likeness::yes) return;
  const Catalog catalog = container.scan(file, {.records = 1000});
  for (const FieldEntry& field : catalog.fields) {
    for (const Tile& tile : field.payload.tiles)
      require(tile.offset + tile.bytes <= bytes.size(), "a tile is in the file");
  }
  attempt([&] { container.validate(file, catalog); });
  attempt([&] { restore(file); });
  if (catalog.first_error() != nullptr) return;
  std::uint64_t end = 0;
  for (const Annotation& annotation : container.explain(file, catalog)) {
    require(annotation.offset == end, "annotations tile the file");
    end += annotation.length;
  }
  require(end == bytes.size(), "annotations cover the file");
}

void decode(std::vector<std::byte> tile) {
  constexpr archive::Numbers kinds[] = {{18, 8, true}, {12, 4, false}, {0, 8, false}};
  for (const archive::Numbers& kind : kinds) {
    if (tile.size() < 8) return;
    tile[0] = static_cast<std::byte>(std::to_integer<unsigned>(tile[0]) % 4);
    tile[1] = static_cast<std::byte>(kind.reals);
    tile[2] = static_cast<std::byte>(kind.bytes);
    tile[3] = static_cast<std::byte>(kind.big_endian ? 1 : 0);
    std::vector<std::byte> sites(std::size_t{144} * 70);
    attempt([&] { archive::codec_named(archive::encoding_name(kind))->decode(tile, sites); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  look({begin, size});
  decode({begin, begin + size});
  return 0;
}
