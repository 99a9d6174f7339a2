// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the records of a checkpoint say of its streams and fields, beyond the catalog of its files.
#pragma once

#include <optional>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/multifile.hpp>

namespace lq::cli {

struct Checkpoint {
  MultifileInfo info;
  std::vector<MultifileField> fields;
};

// Local. Nothing of other files, and of sets that were not closed.
std::optional<Checkpoint> checkpoint_of(const Catalog& catalog);

}  // namespace lq::cli
