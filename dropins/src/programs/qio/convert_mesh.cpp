// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// DIRECTION FILE [LFN] < LAYOUT: converts a single file to part files, or back. Three programs, selected by LQ_MESH:
// qio-convert-mesh-singlefs makes a part file for each node, all in one folder; qio-convert-mesh-pfs puts each into the
// folder given by the layout; in qio-convert-mesh-ppfs several nodes share one, in the layout's folder if
// it gives one. Arguments, input and output are those of QIO's programs of these names; the last one is one process
// here, and needs no QMP.
#include <iostream>
#include <sstream>

#include "programs/qio/mesh.hpp"

namespace {

using lq::programs::Failure;
using lq::programs::qio::IoNodeFiles;

enum class Programs { singlefs, pfs, ppfs };
constexpr Programs program = Programs::LQ_MESH;

// A line "NODE FOLDER" for each node.
[[maybe_unused]] void read_all_folders(std::istream& in, IoNodeFiles& files) {
  for (int line = 0; line < files.count(); ++line) {
    int node = 0;
    std::string folder;
    if (!(in >> node >> folder) || node < 0 || node >= files.count()) throw Failure("Error reading path list");
    files.place(node, folder);
  }
  for (int node = 0; node < files.count(); ++node) {
    if (!files.is_placed(node)) throw Failure("Missing path for node " + std::to_string(node));
  }
}

int entry_of(const IoNodeFiles& files, int node) {
  for (int entry = 0; entry < files.count(); ++entry) {
    if (files.number(entry) == node) return entry;
  }
  throw Failure("Node " + std::to_string(node) + " of the path list is no I/O node");
}

// Lines "NODE [FOLDER]", for all I/O nodes or for none.
[[maybe_unused]] void read_folders(std::istream& in, IoNodeFiles& files) {
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
  throw Failure("Created " + std::to_string(found) + " node paths but expected " + std::to_string(files.count()));
}

}  // namespace

int main(int argc, char* argv[]) {
  using namespace lq::programs;
  return run({argv[0], qio::mesh_usage}, [&] {
    if (argc < 3) throw WrongUsage();
    const qio::Mesh mesh = qio::read_mesh(std::cin, program == Programs::ppfs);
    IoNodeFiles files(mesh);
    if (program == Programs::pfs) read_all_folders(std::cin, files);
    if (program == Programs::ppfs) read_folders(std::cin, files);
    qio::convert(mesh, files, argc, argv);
  });
}
