// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the records of a checkpoint state about its streams and fields, beyond the catalog of its files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/multifile.hpp>

#include "base/json_writer.hpp"

namespace lq::cli {

struct Checkpoint {
  MultifileInfo info;
  std::vector<std::uint64_t> stream_bytes;  // of each task; of compressed ones the uncompressed size
  std::vector<MultifileField> fields;
  std::string problem;  // why the fields are unavailable; the streams do not need them
};

// Collective. Empty for other files, and for sets that were not closed.
std::optional<Checkpoint> checkpoint_of(const Catalog& catalog, const Communicator& communicator);
// The members "checkpoint", "checkpoint_streams" and "checkpoint_fields".
void put(base::JsonWriter& json, const Checkpoint& checkpoint);
// Collective. The file with the fields of a checkpoint; every other path is returned unchanged.
std::string with_fields(const std::string& path, const Communicator& communicator, const Limits& limits);

}  // namespace lq::cli
