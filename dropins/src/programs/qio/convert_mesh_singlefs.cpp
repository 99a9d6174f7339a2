// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// qio-convert-mesh-singlefs DIRECTION FILE [LFN] < LAYOUT: a single file into part files, one for each node and all in
// one folder, or back. Arguments, input and output are those of QIO's program of that name.
#include <iostream>

#include "programs/frame.hpp"
#include "programs/qio/mesh.hpp"

int main(int argc, char* argv[]) {
  using namespace lq::programs;
  return run({argv[0], qio::mesh_usage}, [&] {
    if (argc < 3) throw WrongUsage();
    const qio::Mesh mesh = qio::read_mesh(std::cin, false);
    qio::IoNodeFiles files(mesh);
    qio::convert(mesh, files, argc, argv);
  });
}
