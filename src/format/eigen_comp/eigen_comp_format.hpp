// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of compressed eigenvectors, by their metadata.txt (docs/formats/eigen-comp.md).
#pragma once

#include <string_view>

namespace lq::format::eigen_comp {

inline constexpr std::string_view eigen_comp_name = "eigen-comp";
// Texts of the catalog.
inline constexpr std::string_view metadata_name = "eigen-comp-metadata", eigenvalues_name = "eigen-values";
// In a folder.
inline constexpr std::string_view metadata_file = "metadata.txt", eigenvalues_file = "eigen-values.txt";

}  // namespace lq::format::eigen_comp
