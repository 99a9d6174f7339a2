// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The question of <limequat/diagnose.hpp> to bytes anywhere, and the steps of the answer that nobody else takes.
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

// The spinor basis of a propagator from a point source, told at the source: there S = gamma5 S^dagger gamma5 whatever
// the gauge field is, and gamma5 is another matrix in each basis.

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

// Nothing: the field is no propagator of four spins, or holds zeros only.
std::optional<BasisFit> basis_of(const Subject& subject, base::ByteSource& file, const Progress& progress);

// A file whose numbers are right and stand in the wrong way, written as its format has them.

// Whether a new file mends what was found.
bool is_mended(const Finding& finding) noexcept;

struct Rewriting {
  std::string path;  // of the new file
  bool overwrite = false;
  std::optional<Encoding> encoding;  // of gauge fields
  Ordering ordering;                 // as they were found
  std::optional<double> plaquette;   // instead of the stated one
  int threads = 0;
};

// The new file gets its name when an examination does not call it damaged: wrong_state.
Report rewrite(const Subject& subject, base::ByteSource& file, const Rewriting& how);

// Numbers that were found in another form or order, as bytes of a file that has them as it says: what its sums were
// taken of, perhaps.

// Not for several threads at once.
class DeclaredSites final : public base::ByteSource {
 public:
  // Both have the same numbers for each site, in the same precision; `declared.encoding` is of sites one by one.
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

// The links of a site in the order of `to`, out of those in the order of `from`.
void reorder_links(const Encoding& encoding, const Ordering& from, const Ordering& to, const double* numbers,
                   double* reordered);

// `files`: where the others are if the field lies in several, or not site after site; nullptr: such a field is
// unsupported.
Diagnosis diagnose(base::ByteSource& file, const DiagnoseOptions& options, storage::Transport* files = nullptr);

// The order of the sites of a file, found from its SciDAC checksum: that is defined on the numbers of sites in the
// lattice, so that with one CRC-32 for each site of the file an order is tried by rotations alone.

// The checksum of sites in this order.
Checksum checksum_of(std::span<const std::uint32_t> crcs, const SiteMap& map);

struct FoundOrder {
  WriterGrid answer;
  SiteMap map;  // where there is one
};

// Tries one sequence in all orders of the dimensions, then all process grids that divide the lattice, by the threads of
// a team; after the given number of seconds no more. What is found does not depend on the number of threads.
FoundOrder find_order(std::span<const std::uint32_t> crcs, const Extents& extents, const Checksum& wanted,
                      double seconds, comm::Team& team);

}  // namespace lq::diagnosis
