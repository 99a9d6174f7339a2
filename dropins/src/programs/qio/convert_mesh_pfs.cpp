// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// qio-convert-mesh-pfs DIRECTION FILE [LFN] < LAYOUT: a single file into part files, one for each node and each in the
// folder that the layout says, or back. Arguments, input and output are those of QIO's program of that name.
#include <iostream>

#include "programs/frame.hpp"
#include "programs/qio/mesh.hpp"

namespace {

// A line "NODE FOLDER" for each of them.
void read_folders(std::istream& in, lq::programs::qio::IoNodeFiles& files) {
  for (int line = 0; line < files.count(); ++line) {
    int node = 0;
    std::string folder;
    if (!(in >> node >> folder) || node < 0 || node >= files.count()) {
      throw lq::programs::qio::Failure("Error reading path list");
    }
    files.place(node, folder);
  }
  for (int node = 0; node < files.count(); ++node) {
    if (!files.is_placed(node)) throw lq::programs::qio::Failure("Missing path for node " + std::to_string(node));
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace lq::programs;
  return run({argv[0], qio::mesh_usage}, [&] {
    if (argc < 3) throw WrongUsage();
    const qio::Mesh mesh = qio::read_mesh(std::cin, false);
    qio::IoNodeFiles files(mesh);
    read_folders(std::cin, files);
    qio::convert(mesh, files, argc, argv);
  });
}
