// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of vectors written by other programs (formats/vectors.md): interprets a file with SciDAC records as a set.
// Nothing here reads data; only the catalog of the file is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/modes.hpp>

namespace lq::format::vectors {

enum class Family { quda, milc, grid, mod, eigen_comp };
std::string_view name(Family family) noexcept;  // "quda", "milc", "grid", "mod", "eigen-comp"

// Parameters of sets made from other programs' files: one states that eigenvalues are unknown; and for each vector
// numbers for all time slices, with semicolons between vectors (formats/mod.md 4).
inline constexpr std::string_view unknown_eigenvalues = "eigenvalues", slice_weights = "weights of time slices";

// How the sites of a field of the file correspond to those of a vector.
enum class Arrangement {
  as_it_is,        // the same lattice
  packed_in_time,  // even sites on a lattice of half the extent in t (formats/vectors.md 3.2)
  fifth_first,     // five dimensions, the first of which is s
  compressed,      // sums over a basis, block by block, not stored as a field
};

struct VectorSet {
  Family family = Family::quda;
  lq::modes::Description description;
  std::vector<lq::modes::Mode> modes;  // of those in this file
  bool has_eigenvalues = true;
  std::uint64_t per_field = 1;  // vectors in one field: each site contains their numbers in sequence
  Arrangement arrangement = Arrangement::as_it_is;
};

// Empty: the file is not a set of vectors. invalid_argument: it is one, but lacks facts that were not given either.
// malformed, unsupported: its fields are not a set.
std::optional<VectorSet> set_in(const Catalog& catalog, const lq::modes::Unsaid& unsaid);

// The eigenvalues of a file NAME.evals.xml that Grid writes next to NAME (formats/vectors.md 4.3). Throws
// Error(malformed) that states what is wrong.
std::vector<double> eigenvalues_in(std::string_view document);
// Adds them to a set that has none. invalid_argument: their number differs from that of the vectors.
void add_eigenvalues(VectorSet& set, const std::vector<double>& eigenvalues);

// A vector that is not a field, on its lattice, without a place in the file.
FieldEntry entry_of(const lq::modes::Description& description);

// The place of site x of a vector in the file, for one s.
Coord place_of(const Coord& x, std::int64_t s, const VectorSet& set) noexcept;

}  // namespace lq::format::vectors
