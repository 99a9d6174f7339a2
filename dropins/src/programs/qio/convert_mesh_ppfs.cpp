// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// qio-convert-mesh-ppfs DIRECTION FILE [LFN] < LAYOUT: a single file into part files that several nodes share, each in
// the folder that the layout says if it says one, or back. Arguments, input and output are those of QIO's program of
// that name; it is one process, and needs no QMP.
#include <iostream>
#include <sstream>

#include "programs/frame.hpp"
#include "programs/qio/mesh.hpp"

namespace {

int entry_of(const lq::programs::qio::IoNodeFiles& files, int node) {
  for (int entry = 0; entry < files.count(); ++entry) {
    if (files.number(entry) == node) return entry;
  }
  throw lq::programs::qio::Failure("Node " + std::to_string(node) + " of the path list is no I/O node");
}

// Lines "NODE [FOLDER]", for all I/O nodes or for none.
void read_folders(std::istream& in, lq::programs::qio::IoNodeFiles& files) {
  int found = 0;
  for (std::string line; found < files.count() && std::getline(in, line);) {
    std::istringstream words(line);
    int node = 0;
    std::string folder;
    if (!(words >> node)) continue;
    const int entry = entry_of(files, node);
    if (words >> folder) files.place(entry, folder);
    ++found;
  }
  if (found == 0 || found == files.count()) return;
  throw lq::programs::qio::Failure("Created " + std::to_string(found) + " node paths but expected " +
                                   std::to_string(files.count()));
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace lq::programs;
  return run({argv[0], qio::mesh_usage}, [&] {
    if (argc < 3) throw WrongUsage();
    const qio::Mesh mesh = qio::read_mesh(std::cin, true);
    qio::IoNodeFiles files(mesh);
    read_folders(std::cin, files);
    qio::convert(mesh, files, argc, argv);
  });
}
