// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a lattice call between memory and file. Ranks whose rows are long move them themselves, from and to the
// program's memory; short rows are exchanged by the engine, and its owners of chunks move those.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <limequat/storage.hpp>

#include "compat/lemon/background.hpp"
#include "compat/lemon/group.hpp"
#include "compat/lemon/shape.hpp"
#include "io/sites.hpp"

namespace lq::compat::lemon {

// How sites of a shape travel. Made once, used by all calls of the same shape and direction.
class Way {
 public:
  // Collective.
  static std::shared_ptr<const Way> of(const Group& group, const Shape& shape, bool writes);

  bool is_for(const Shape& shape, bool writes) const { return shape == shape_ && writes == writes_; }
  const Shape& shape() const noexcept { return shape_; }

  // Collective; throws what went wrong on this rank, or the same everywhere. `offset`: of the lattice in the file.
  void move(Storage& storage, std::uint64_t offset, std::byte* data) const;

  // Local. This rank's rows are long enough to be moved one by one.
  bool is_direct() const noexcept { return sites_->strategy() == Strategy::direct; }
  // Local. The pieces of this rank, where they are moved one by one.
  std::vector<Piece> pieces(std::uint64_t offset, std::byte* data) const;
  // Collective. Memory for what this rank will read of the file for all.
  std::unique_ptr<Staging> reserve(std::uint64_t offset) const;

 private:
  // Local.
  Way(const Grid& grid, const Shape& shape, bool writes);
  template <class Work>
  void for_each_piece(std::uint64_t offset, std::byte* data, Work&& work) const;
  // Collective. The same sites at another place, from or to `data`.
  void repeat(std::uint64_t offset, std::byte* data) const;

  Shape shape_;
  bool writes_;
  FieldSpec spec_;
  Grid grid_;
  std::unique_ptr<io::SiteTransfer> sites_;
};

}  // namespace lq::compat::lemon
