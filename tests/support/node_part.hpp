// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Published parts of checkpoints on nodes, with files of random sizes and contents.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sets/checkpoints/node_parity.hpp"

namespace lq::testing {

inline sets::NodePart make_node_part(const std::string& folder, int rank, unsigned seed,
                                     std::size_t most_bytes = 50'000) {
  std::mt19937 random(seed * 100 + static_cast<unsigned>(rank));
  const sets::CheckpointDirectory parts(folder);
  parts.make();
  sets::UnfinishedCheckpoint made(parts, 5);
  sets::NodePart part{parts.path(), {}, {}};
  part.manifest.step = 5;
  part.manifest.set = 11;
  part.manifest.piece = rank;
  part.manifest.pieces = 99;
  for (const std::string name : {"field-0.scidac", "state", "streams.sion"}) {
    std::vector<std::byte> bytes(random() % 3 == 0 ? 0 : random() % most_bytes);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const auto file = made.create(name);
    file->write_at(0, bytes);
    file->close();
    part.manifest.files.push_back({name, bytes.size()});
  }
  sets::sum_files(Communicator().engine(), parts.transport(), made.path_of("."), part.manifest);
  parts.write_small(made.path_of(sets::manifest_name), base::as_bytes(sets::encode(part.manifest)));
  part.name = made.publish();
  return part;
}

}  // namespace lq::testing
