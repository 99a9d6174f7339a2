// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a payload as one sequence of bytes: the file that holds them in one piece, or tiles that look like one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pump/placed_file.hpp"

namespace lq::pump {

class Sequence {
 public:
  // `files`: by Payload::file and Tile::file; nullptr, or missing, where this rank has no part in them. All of it
  // outlives the object.
  Sequence(const std::string& path, const Payload& payload, const format::TileCodec* codec,
           std::vector<transport::File*> files) {
    if (payload.tile_sites > 0) {
      placed_ = std::make_unique<PlacedFile>(path, payload, codec, std::move(files));
    } else if (static_cast<std::size_t>(payload.file) < files.size()) {
      one_piece_ = files[static_cast<std::size_t>(payload.file)];
    }
  }

  // Where Payload::origin() counts from; nullptr: not open here.
  transport::File* file() const noexcept { return placed_ ? placed_.get() : one_piece_; }
  // Collective. What was written is in the files; where all tiles lie.
  std::vector<Tile> settle(comm::Comm& comm) { return placed_ ? placed_->settle(comm) : std::vector<Tile>{}; }

 private:
  std::unique_ptr<PlacedFile> placed_;
  transport::File* one_piece_ = nullptr;
};

}  // namespace lq::pump
