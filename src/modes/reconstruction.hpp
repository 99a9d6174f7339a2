// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Coefficients become modes (formats/modes.md 6), on one grid and one region: a rank has its sites of the whole modes,
// and gets the coefficients of all blocks that its sites lie in.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <limequat/modes.hpp>

#include "io/transfer.hpp"
#include "lattice/site_exchange.hpp"
#include "modes/basis.hpp"

namespace lq::modes {

class Reconstruction {
 public:
  // Collective. Reads the basis.
  static std::shared_ptr<const Reconstruction> of(const Set& set, const Grid& grid, const ReadOptions& options);

  // Local.
  bool is_for(const Grid& grid, const ReadOptions& options) const;
  // Collective. Mode options.index of the set, which is stored as coefficients, up to the point where these move. The
  // steps also make the vector of them, where each rank reads the coefficients of its own blocks; else finish() does.
  static std::unique_ptr<io::Transfer> begin(const std::shared_ptr<const Reconstruction>& basis,
                                             const MutableField& vector, const ReadOptions& options);

 private:
  friend class CombinedTransfer;
  // Local. Without what is read and exchanged.
  Reconstruction(const Set& set, const Grid& grid, const Grid& blocks, const std::optional<Box>& region);
  std::unique_ptr<io::Transfer> read_coefficients(std::vector<std::complex<double>>& to,
                                                  const ReadOptions& options) const;
  void exchange(const std::vector<std::complex<double>>& own, std::vector<std::complex<double>>& wanted) const;

  std::shared_ptr<io::ScannedFile> file_;
  FieldSpec site_;       // of a vector
  std::uint64_t count_;  // modes of the basis
  Grid grid_, blocks_;
  std::optional<Box> region_;
  std::optional<lattice::SiteExchange> exchange_;  // nothing: all ranks read the coefficients of their own blocks
  Basis basis_;
};

}  // namespace lq::modes
