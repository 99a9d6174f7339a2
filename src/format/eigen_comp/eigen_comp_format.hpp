// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of compressed eigenvectors, by their metadata.txt (docs/formats/eigen-comp.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq::format::eigen_comp {

// The texts of a folder of compressed eigenvectors (formats/eigen-comp.md 2), and the positions of data in its files.

inline constexpr std::uint64_t site_numbers = 24;  // which share an exponent if they have 16 bits

// Extents are x, y, z, t; `ls` and `block_ls` belong to the fifth dimension, which is the slowest.
struct Metadata {
  Extents node, block;  // the part in one file, and the blocks in it
  std::uint64_t ls = 1, block_ls = 1;
  std::uint64_t vectors = 0, basis = 0, basis_single = 0;
  std::uint64_t shared = 10;  // coefficients that share an exponent
  std::vector<std::uint32_t> crcs = {};
  std::optional<Extents> lattice = {};  // if the text states it, or if there is one file

  std::uint64_t files() const noexcept { return crcs.size(); }
  std::uint64_t blocks() const noexcept;         // in a file
  std::uint64_t block_numbers() const noexcept;  // of one vector
  std::uint64_t basis_16() const noexcept { return basis - basis_single; }

  // Bytes of the basis vectors on one block, and of the coefficients of one vector there.
  std::uint64_t single_bytes() const noexcept { return basis_single * block_numbers() * 4; }
  std::uint64_t fixed_bytes() const noexcept;
  std::uint64_t coefficient_bytes() const noexcept;
  // Where the data of a block begin in a file.
  std::uint64_t single_at(std::uint64_t number) const noexcept { return number * single_bytes(); }
  std::uint64_t fixed_at(std::uint64_t number) const noexcept;
  std::uint64_t coefficients_at(std::uint64_t vector, std::uint64_t number) const noexcept;
  std::uint64_t file_bytes() const noexcept { return coefficients_at(vectors, 0); }
};

// malformed, unsupported: the error, in a sentence without the file name.
Metadata decode(std::string_view text);
// malformed: it is not a list of the given number of numbers.
std::vector<double> decode_eigenvalues(std::string_view text);

// "07/0000000014.compressed": of file number k.
std::string file_name(const Metadata& metadata, std::uint64_t k);

inline constexpr std::string_view eigen_comp_name = "eigen-comp";
// Texts of the catalog.
inline constexpr std::string_view metadata_name = "eigen-comp-metadata", eigenvalues_name = "eigen-values";
// In a folder.
inline constexpr std::string_view metadata_file = "metadata.txt", eigenvalues_file = "eigen-values.txt";

}  // namespace lq::format::eigen_comp
