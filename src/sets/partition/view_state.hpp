// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is behind a view.
#pragma once

#include <cstdint>
#include <memory>

#include <limequat/view.hpp>

#include "storage/window.hpp"

namespace lq {

struct View::State {
  std::shared_ptr<storage::Subfiles> subfiles;
  storage::Window window;
  std::uint64_t at = 0;
  // Where two clients lose what they write into one block, and this view shares subfiles with others: the size of such
  // a block. Else 0.
  std::uint64_t shared_block_bytes = 0;
};

}  // namespace lq
