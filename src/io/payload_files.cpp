// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/payload_files.hpp"

#include <algorithm>

#include "format/format.hpp"

namespace lq::io {

std::vector<std::string> files_of(const Catalog& catalog) {
  return catalog.files.empty() ? std::vector<std::string>{catalog.path} : catalog.files;
}

const format::TileCodec* tile_codec_of(const std::string& format, const Payload& payload) {
  return payload.encoding.empty() ? nullptr : format::format_named(format).for_fields().tile_codec(payload.encoding);
}

PayloadFiles::PayloadFiles(storage::Transport& transport, const std::vector<std::string>& paths, const Payload& payload,
                           const format::TileCodec* codec)
    : files_(paths.size()) {
  const auto open = [&](int file) {
    const auto k = static_cast<std::size_t>(file);
    if (!files_.at(k)) files_[k] = transport.open_read(paths[k]);
  };
  if (payload.tile_sites == 0) open(payload.file);
  for (const Tile& tile : payload.tiles) open(tile.file);
  sequence_.emplace(paths.front(), payload, codec, all());
}

bool PayloadFiles::are_thread_safe() const noexcept {
  const auto is_serial = [](const std::unique_ptr<storage::File>& file) { return file && file->reads_serially(); };
  return sequence_->is_thread_safe() && std::ranges::none_of(files_, is_serial);
}

std::vector<storage::File*> PayloadFiles::all() const {
  std::vector<storage::File*> all;
  for (const auto& file : files_) all.push_back(file.get());
  return all;
}

namespace {

void pump_box(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision, void* memory,
              const SiteOrder& order, engine::TransferStats& stats) {
  MutableField field;
  field.spec = payload.spec;
  field.spec.precision = precision;
  field.data = memory;
  field.order = order;
  engine::run(*engine::move_in(file, payload, {payload.extents, payload.stored, payload.order, box, order, box}, field,
                               {}, stats));
}

}  // namespace

void read_box(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision, void* memory,
              engine::TransferStats& stats) {
  pump_box(file, payload, box, precision, memory, {}, stats);
}

void read_box_as_stored(base::ByteSource& file, const Payload& payload, const Box& box, Precision precision,
                        void* memory, engine::TransferStats& stats) {
  pump_box(file, payload, box, precision, memory, payload.order, stats);
}

std::vector<double> read_box(base::ByteSource& file, const Payload& payload, const Box& box) {
  std::vector<double> numbers(static_cast<std::size_t>(box.volume() * payload.spec.numbers));
  engine::TransferStats stats(payload, {});
  pump_box(file, payload, box, Precision::double_, numbers.data(), {}, stats);
  return numbers;
}

}  // namespace lq::io
