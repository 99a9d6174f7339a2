// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sites of other ranks, as neighbours in stencils need them: the requests are exchanged once, then every exchange is
// one collective operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <limequat/grid.hpp>

#include "base/function_ref.hpp"
#include "comm/comm.hpp"

namespace lq::lattice {

class SiteExchange {
 public:
  // Collective. `wanted`: global coordinates, in any order, may include own sites and repetitions, and differ in number
  // between ranks. invalid_argument on all ranks if one is outside the lattice.
  SiteExchange(const Grid& grid, std::span<const Coord> wanted);
  // Collective. The same for the coordinates that `list` returns; its failure is thrown on all ranks.
  SiteExchange(const Grid& grid, base::FunctionRef<std::vector<Coord>()> list);

  // Sites of site_bytes each. `local`: those of this rank, x fastest in its local box. Afterwards `out` has the site of
  // wanted[i] at i * site_bytes.
  struct Sites {
    const std::byte* local = nullptr;
    std::byte* out = nullptr;
  };
  // Collective. site_bytes, and the number of fields, are the same on all ranks.
  void exchange(std::span<const Sites> fields, std::size_t site_bytes) const;
  void exchange(const std::byte* local_sites, std::size_t site_bytes, std::byte* out) const {
    const Sites sites{local_sites, out};
    exchange({&sites, 1}, site_bytes);
  }

 private:
  // The sites exchanged between this rank and another, in transfer order.
  struct Peer {
    int rank = 0;
    std::vector<std::uint64_t> sites;
  };

  std::vector<comm::Message> pack_answers(std::span<const Sites> fields, std::size_t site_bytes) const;

  Communicator communicator_;
  std::vector<Peer> from_;  // by owner: the places of its sites in `out`
  std::vector<Peer> to_;    // by requesting rank: the numbers of sites of this rank
};

}  // namespace lq::lattice
