// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Diagnosis of bytes from any source (<limequat/diagnose.hpp>), and steps of it that are used here only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <limequat/diagnose.hpp>

#include "base/byte_source.hpp"
#include "comm/team.hpp"
#include "diagnosis/ordering.hpp"
#include "diagnosis/readings.hpp"
#include "diagnosis/site_map.hpp"
#include "storage/transport.hpp"

namespace lq::diagnosis {

// The spinor basis of a propagator from a point source, determined at the source: there S = gamma5 S^dagger gamma5 for
// any gauge field, and gamma5 is a different matrix in each basis.

enum class Basis {
  chiral,  // gamma5 is diagonal: DeGrand-Rossi
  dirac,   // gamma5 exchanges upper and lower spins: Dirac-Pauli, UKQCD
};

struct BasisFit {
  Coord source;       // the site with the largest numbers
  double chiral = 0;  // the largest |element| of S - gamma5 S^dagger gamma5 over that of S
  double dirac = 0;
  std::optional<Basis> basis() const noexcept;
};

// Empty: the field is not a propagator with four spins, or contains zeros only.
std::optional<BasisFit> basis_of(const Subject& subject, base::ByteSource& file, const Progress& progress);

// Rewrites a file with correct numbers in the wrong form or order into the form of its format.

// True if a new file repairs the finding.
bool is_mended(const Finding& finding) noexcept;

struct Rewriting {
  std::string path;  // of the new file
  bool overwrite = false;
  std::optional<Encoding> encoding;  // of gauge fields
  Ordering ordering;                 // as found
  std::optional<double> plaquette;   // instead of the stated one
  int threads = 0;
};

// The new file is published only if an examination does not call it damaged: wrong_state.
Report rewrite(const Subject& subject, base::ByteSource& file, const Rewriting& how);

// Numbers found in another form or order, presented as the bytes of a file that has them as declared: possibly the
// bytes its sums were computed from.

// Not thread-safe.
class DeclaredSites final : public base::ByteSource {
 public:
  // Both have the same numbers for each site, in the same precision; `declared.encoding` is of single sites in
  // sequence.
  DeclaredSites(const Sequence& found, const Ordering& found_ordering, const Encoding& declared,
                const Ordering& declared_ordering);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return volume(declared_ordering_.sites.extents) * declared_.site_bytes(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  void encode_site(std::uint64_t number);

  std::string path_;
  Ordering found_ordering_, declared_ordering_;
  Encoding declared_;
  LinkReader reader_;
  std::vector<double> found_numbers_, numbers_;
  std::vector<std::byte> site_;
};

// Reorders the links of a site from the order of `from` to that of `to`.
void reorder_links(const Encoding& encoding, const Ordering& from, const Ordering& to, const double* numbers,
                   double* reordered);

// `files`: provides the other files if the field is split over several, or not contiguous; nullptr: such a field is
// unsupported.
Diagnosis diagnose(base::ByteSource& file, const DiagnoseOptions& options, storage::Transport* files = nullptr);

// Finds the order of the sites of a file from its SciDAC checksum: that is defined on the numbers of sites in the
// lattice, so with one CRC-32 for each site of the file an order can be tried by rotations alone.

// The checksum of sites in this order.
Checksum checksum_of(std::span<const std::uint32_t> crcs, const SiteMap& map);

struct FoundOrder {
  WriterGrid answer;
  SiteMap map;  // the order found, if any
};

// Tries one sequence in all orders of the dimensions, then all process grids that divide the lattice, using the threads
// of a team, for at most the given number of seconds. The result does not depend on the number of threads.
FoundOrder find_order(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted,
                      double seconds, comm::Team& team);

}  // namespace lq::diagnosis
