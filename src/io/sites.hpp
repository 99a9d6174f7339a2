// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a process grid on their way to a file and back: which strategy, which ranks touch the file, and the
// movement itself.
#pragma once

#include <memory>
#include <string>

#include <limequat/grid.hpp>
#include <limequat/options.hpp>

#include "pump/direct.hpp"
#include "pump/exchange.hpp"
#include "route/shares.hpp"
#include "transport/transport.hpp"

namespace lq::io {

// Route options in words, to be compared between ranks.
std::string describe(const RouteOptions& options);

struct SiteRoute {
  Strategy strategy = Strategy::direct;
  lattice::RowPlan rows;                        // of this rank
  std::shared_ptr<const route::Shares> shares;  // unless direct
  bool touches_file = false;                    // this rank
  int threads = 0;                              // as asked for
};

// What is asked for; the same on all ranks, but for the field.
struct SiteRequest {
  const std::string& path;  // for errors
  const Grid& grid;
  const Payload& payload;
  Box region;  // the sites that move, in coordinates of the file's lattice; as large as the grid's lattice
  transport::Unit unit;
  bool writing = true;
  bool checksum = true;
  RouteOptions options;
};

// Collective. `memory`: where the field is; with functions instead of memory, its data is nullptr.
SiteRoute route_sites(const SiteRequest& request, const Field& memory);

// Collective. Settles the strategy; `file` is open on ranks that touch it. Grid, field's memory, payload, file and
// tally outlive the movement.
std::unique_ptr<pump::Movement> move_sites_out(SiteRoute& route, const Grid& grid, const Field& field,
                                               const Payload& payload, transport::File* file,
                                               const pump::PumpOptions& options, pump::Tally& tally);
std::unique_ptr<pump::Movement> move_sites_in(SiteRoute& route, const Grid& grid, const MutableField& field,
                                              const Payload& payload, base::ByteSource* file,
                                              const pump::PumpOptions& options, pump::Tally& tally);

}  // namespace lq::io
