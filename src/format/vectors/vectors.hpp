// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of vectors that other programs write (formats/vectors.md): what a file with SciDAC records says as a set.
// Nothing here reads data; the catalog of the file is all there is to see.
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

// Parameters of sets that are made of others' files: that says that eigenvalues are not known; and for each vector
// numbers for all time slices, with semicolons between vectors (formats/mod.md 4).
inline constexpr std::string_view unknown_eigenvalues = "eigenvalues", slice_weights = "weights of time slices";

// How the sites of a field of the file are those of a vector.
enum class Arrangement {
  as_it_is,        // the same lattice
  packed_in_time,  // even sites on a lattice of half the extent in t (formats/vectors.md 3.2)
  fifth_first,     // five dimensions, the first of which is s
  compressed,      // sums over a basis, block by block, in no field
};

struct VectorSet {
  Family family = Family::quda;
  lq::modes::Description description;
  std::vector<lq::modes::Mode> modes;  // of those in this file
  bool has_eigenvalues = true;
  std::uint64_t per_field = 1;  // vectors in one field: each site holds their numbers contiguous
  Arrangement arrangement = Arrangement::as_it_is;
};

// Nothing: the file is no set of vectors. invalid_argument: it is one, and what it does not say was not said either.
// malformed, unsupported: its fields are no set.
std::optional<VectorSet> set_in(const Catalog& catalog, const lq::modes::Unsaid& unsaid);

// The eigenvalues of a file NAME.evals.xml that Grid writes next to NAME (formats/vectors.md 4.3). Throws
// Error(malformed) that says what is wrong.
std::vector<double> eigenvalues_in(std::string_view document);
// Gives them to a set that has none. invalid_argument: they are not as many as there are vectors.
void add_eigenvalues(VectorSet& set, const std::vector<double>& eigenvalues);

// What a vector that is no field is on its lattice, in no place of the file.
FieldEntry entry_of(const lq::modes::Description& description);

// Where site x of a vector is in the file, for one s.
Coord place_of(const Coord& x, std::int64_t s, const VectorSet& set) noexcept;

}  // namespace lq::format::vectors
