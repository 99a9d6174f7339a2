// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A range of the one stream that the tasks of a set make, in their order; a single task is the simplest of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sets/checkpoint/stream_reader.hpp"

namespace lq::sets {

class Window {
 public:
  // Bytes of a task that belong to the window.
  void add(std::unique_ptr<StreamReader> reader, std::uint64_t from, std::uint64_t bytes);

  std::uint64_t size() const noexcept { return ends_.empty() ? 0 : ends_.back(); }
  std::size_t read_at(std::uint64_t position, base::MutableBytes buffer);

  std::uint64_t position = 0;  // of the next read

 private:
  struct Piece {
    std::unique_ptr<StreamReader> reader;
    std::uint64_t from = 0;
  };
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> ends_;  // of the pieces in the window
};

}  // namespace lq::sets
