// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files in which the sites of a payload lie, open for reading, and their sites as one sequence of bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>

#include "engine/sequence.hpp"
#include "format/tile_codec.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// The physical files of a scanned file.
std::vector<std::string> files_of(const Catalog& catalog);

// Of the payload's encoding; nullptr: it has none, or its format does not know it.
const format::TileCodec* tile_codec_of(const std::string& format, const Payload& payload);

class PayloadFiles {
 public:
  // Local. Opens those that the payload has a part in; it and the codec outlive the object.
  PayloadFiles(storage::Transport& transport, const std::vector<std::string>& paths, const Payload& payload,
               const format::TileCodec* codec);
  PayloadFiles(storage::Transport& transport, const Catalog& catalog, const Payload& payload)
      : PayloadFiles(transport, files_of(catalog), payload, tile_codec_of(catalog.format, payload)) {}

  std::vector<storage::File*> all() const;
  // Where Payload::origin() counts from.
  storage::File& sequence() const noexcept { return *sequence_->file(); }
  // Whether several threads may use that at once, at different bytes.
  bool are_thread_safe() const noexcept { return sequence_->is_thread_safe(); }

 private:
  std::vector<std::unique_ptr<storage::File>> files_;
  std::optional<engine::Sequence> sequence_;
};

}  // namespace lq::io
