// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as an HDF5 file: scanned, explained, all attributes and small objects read, the tiles of all fields
// decoded. Beyond not crashing, what a scan promises must hold.
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "hdf5/filters/filters.hpp"
#include "hdf5/hdf5_format.hpp"
#include "hdf5/tree/tree.hpp"

namespace {

using namespace lq;

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::uint64_t most_objects = 2000;

void require_that(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);  // escapes, and libFuzzer reports it
}

bool is_of_file(const Error& error) {
  return error.code() == Code::malformed || error.code() == Code::too_large || error.code() == Code::unsupported ||
         error.code() == Code::truncated;
}

template <class Work>
void attempt(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    if (!is_of_file(error)) throw;
  }
}

void require_inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t file_bytes) {
  require_that(offset <= file_bytes && bytes <= file_bytes - offset, "data lie in the file");
}

void read_tiles(base::ByteSource& file, const Payload& payload) {
  const format::TileCodec* codec = payload.encoding.empty() ? nullptr : hdf5::tile_codec(payload.encoding);
  for (const Tile& tile : payload.tiles) {
    require_inside(tile.offset, tile.bytes, file.size());
    const std::uint64_t decoded = payload.tile_sites * (payload.site_bytes() / payload.arrays);
    if (tile.bytes == 0) continue;
    require_that(!payload.encoding.empty() || tile.bytes == decoded, "a tile holds its sites");
    if (codec == nullptr || decoded > most_bytes) continue;
    std::vector<std::byte> encoded(tile.bytes), sites(decoded);
    file.read_at(tile.offset, encoded);
    attempt([&] { codec->decode(encoded, sites); });
  }
}

void check_field(base::ByteSource& file, const FieldEntry& field, const Catalog& catalog) {
  const Payload& payload = field.payload;
  require_that(field.record < catalog.records.size(), "a field has its record");
  require_that(payload.spec.numbers > 0, "a site holds something");
  require_that(payload.stored.volume() * payload.spec.site_bytes() == payload.length, "the sites fill the payload");
  const auto slices = static_cast<std::uint64_t>(payload.extents[payload.extents.size() - 1]);
  require_that(field.sums.slices().empty() || field.sums.slices().size() == slices, "a checksum for each slice");
  if (payload.tile_sites == 0) return require_inside(payload.offset, payload.length, file.size());
  std::uint64_t tiles = payload.arrays;
  if (payload.block.size() == 0) {
    require_that(payload.tile_sites == payload.stored.volume(), "an array is one tile");
  } else {
    require_that(payload.tile_sites == volume(payload.block), "a block is a tile");
    for (int d = 0; d < payload.extents.size(); ++d) {
      tiles *= static_cast<std::uint64_t>((payload.extents[d] + payload.block[d] - 1) / payload.block[d]);
    }
  }
  require_that(payload.tiles.size() == tiles, "there are all tiles");
  read_tiles(file, payload);
}

// Attributes and values of all objects.
class Reader final : public hdf5::Visitor {
 public:
  explicit Reader(const hdf5::Opened& file) : file_(file) {}
  void member(const hdf5::Visited& object) override {
    group(object);
    if (object.kind != hdf5::ObjectKind::dataset) return;
    attempt([&] { hdf5::shown(hdf5::read_value(file_, object.handle->get(), file_.where(object.path), most_bytes)); });
  }
  void group(const hdf5::Visited& object) override {
    attempt([&] {
      for (const auto& [name, value] : hdf5::read_attributes(file_, object.handle->get(), file_.where(object.path),
                                                             most_bytes, [](const std::string&, const Error&) {})) {
        hdf5::shown(value);
      }
    });
  }

 private:
  const hdf5::Opened& file_;
};

void check_annotations(const std::vector<Annotation>& annotations, std::uint64_t file_bytes) {
  std::uint64_t next = 0;
  for (const Annotation& annotation : annotations) {
    require_that(annotation.offset == next && annotation.length > 0, "annotations leave no gap");
    next += annotation.length;
  }
  require_that(next == file_bytes, "annotations end with the file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  base::MemorySource file({reinterpret_cast<const std::byte*>(data), size}, "input");
  const Limits limits{.records = most_objects, .text_bytes = most_bytes};
  const format::Container& container = *hdf5::format().container;
  const Catalog catalog = container.scan(file, limits);
  for (const FieldEntry& field : catalog.fields) check_field(file, field, catalog);
  require_that(container.validate(file, catalog).size() >= catalog.findings.size(), "validate() repeats scan()");
  check_annotations(container.explain(file, catalog), size);
  attempt([&] {
    base::EditedSource mended(file);
    format::Findings done;
    hdf5::format().repairer->mend(mended, limits, done);
  });
  attempt([&] {
    hdf5::Opened opened(file);
    format::Findings findings;
    Reader reader(opened);
    hdf5::walk(opened, limits, findings, reader);
  });
  return 0;
}
