// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers between a file and a process grid, made of a few numbers.
#pragma once

#include <memory>
#include <ostream>
#include <vector>

#include "engine/shares.hpp"

namespace lq::testing {

struct TransferCase {
  const char* name;
  Extents lattice, processes;
  std::uint64_t site_bytes;
  std::uint64_t offset = 0;
  bool writing = true;
  SiteOrder order = {};         // of the file
  SiteOrder rank_order = {};    // of the process grid
  Box region = {};              // empty: everything
  std::vector<int> ranks = {};  // at the places of the process grid, x fastest
};

inline std::ostream& operator<<(std::ostream& out, const TransferCase& c) { return out << c.name; }

class TransferOf {
 public:
  explicit TransferOf(const TransferCase& c) : ranks_(static_cast<int>(volume(c.processes))) {
    Payload payload;
    payload.offset = c.offset;
    payload.spec = generic_spec(Precision::single, c.site_bytes / 4, false);
    payload.extents = c.lattice;
    payload.stored = whole(c.lattice);
    payload.order = c.order;
    payload.length = volume(c.lattice) * c.site_bytes;
    const Box region = c.region.extents.size() > 0 ? c.region : payload.stored;
    dealt_ = std::make_unique<lattice::Decomposition>(region.extents, c.processes, c.rank_order, c.ranks);
    transfer_ = {payload, region, dealt_.get(), c.writing};
  }

  const engine::Transfer& transfer() const noexcept { return transfer_; }
  int ranks() const noexcept { return ranks_; }

 private:
  std::unique_ptr<lattice::Decomposition> dealt_;
  engine::Transfer transfer_;
  int ranks_;
};

// Small enough for loops over all ranks and sites.
inline std::vector<TransferCase> transfer_cases() {
  return {
      {"one rank", {4, 4, 4, 4}, {1, 1, 1, 1}, 8},
      {"x split", {8, 4, 4, 4}, {2, 1, 1, 1}, 12, 100},
      {"t split", {4, 4, 4, 6}, {1, 1, 1, 3}, 20, 33},
      {"xyz split", {4, 4, 4, 6}, {2, 2, 2, 1}, 20, 7},
      {"all split", {4, 4, 4, 4}, {2, 2, 2, 2}, 24, 96},
      {"uneven, idle ranks", {3, 5, 2, 2}, {4, 2, 1, 1}, 12, 5},
      {"t runs fastest in the file", {3, 4, 2, 6}, {1, 2, 1, 3}, 12, 5, true, {3, 2, 1, 0}},
      {"ranks advance along t", {4, 4, 2, 6}, {2, 2, 1, 3}, 12, 5, true, {}, {3, 2, 1, 0}},
      {"reading", {8, 4, 4, 4}, {2, 1, 2, 1}, 12, 100, false},
      {"reading a region", {8, 6, 4, 4}, {2, 1, 1, 2}, 12, 10, false, {}, {}, Box{{1, 2, 1, 0}, {5, 3, 2, 4}}},
      {"ranks in a table", {4, 4, 2, 6}, {2, 2, 1, 3}, 12, 5, true, {}, {}, {}, {7, 2, 9, 0, 4, 11, 1, 10, 3, 8, 6, 5}},
      {"ranks of nodes in blocks", {8, 4, 2, 2}, {4, 2, 1, 1}, 12, 5, true, {}, {}, {}, {0, 1, 4, 5, 2, 3, 6, 7}},
      {"two dimensions", {64, 32}, {4, 2}, 4, 1},
  };
}

}  // namespace lq::testing
