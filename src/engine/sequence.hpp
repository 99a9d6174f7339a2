// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a payload as one sequence of bytes: the file that holds them in one piece, or tiles or links that look
// like one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "engine/odd_point_file.hpp"
#include "engine/placed_file.hpp"

namespace lq::engine {

class Sequence {
 public:
  // `files`: by Payload::file and Tile::file; nullptr, or missing, where this rank has no part in them. All of it
  // outlives the object.
  Sequence(const std::string& path, const Payload& payload, const format::TileCodec* codec,
           std::vector<storage::File*> files) {
    if (payload.tile_sites > 0) {
      placed_ = std::make_unique<PlacedFile>(path, payload, codec, std::move(files));
      one_piece_ = placed_.get();
    } else if (static_cast<std::size_t>(payload.file) < files.size()) {
      one_piece_ = files[static_cast<std::size_t>(payload.file)];
    }
    if (payload.at_odd_points && one_piece_ != nullptr) {
      at_odd_points_ = std::make_unique<OddPointFile>(payload, *one_piece_);
      one_piece_ = at_odd_points_.get();
    }
  }

  // Where Payload::origin() counts from; nullptr: not open here.
  storage::File* file() const noexcept { return one_piece_; }
  // Whether several threads may use it at once, at different bytes.
  bool is_thread_safe() const noexcept { return !at_odd_points_ && (!placed_ || placed_->is_thread_safe()); }
  // The same on all ranks: whether there is something to settle.
  static bool needs_settling(const Payload& payload) noexcept {
    return payload.tile_sites > 0 || payload.at_odd_points;
  }
  // Collective. What was written is in the files; where all tiles lie.
  std::vector<Tile> settle(comm::Comm& comm) {
    comm::agree(comm, [&] {
      if (at_odd_points_) at_odd_points_->flush();
    });
    if (placed_) return placed_->settle(comm);
    return {};
  }

 private:
  std::unique_ptr<PlacedFile> placed_;
  std::unique_ptr<OddPointFile> at_odd_points_;
  storage::File* one_piece_ = nullptr;
};

}  // namespace lq::engine
