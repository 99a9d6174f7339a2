// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a file, or a set of files, is cut into the segments of an archive (formats/squeezed.md 2), and where its fields
// lie in their tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <limequat/catalog.hpp>

#include "archive/archive.hpp"

namespace lq::archive {

// How the physical files of this catalogue would be cut, which have the given number of bytes each; places and tiles
// are left open. unsupported: nothing in them can be squeezed, for a reason that is told.
Archive cut(const Catalog& original, const std::vector<std::uint64_t>& file_bytes);

// A field of the original as it lies in the archive's tiles. Nothing: it does not lie in whole ones.
std::optional<Payload> in_tiles(const Payload& original, const Archive& archive);

}  // namespace lq::archive
