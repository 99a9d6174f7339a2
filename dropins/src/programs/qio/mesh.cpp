// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "programs/qio/mesh.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <utility>

namespace lq::programs::qio {
namespace {

int product(const std::vector<int>& extents) {
  long long all = 1;
  for (const int extent : extents) {
    all *= extent;
    if (extent < 1 || all > INT_MAX) throw Failure("The machine size is not one of a grid of nodes");
  }
  return static_cast<int>(all);
}

std::vector<int> read_extents(std::istream& in, std::size_t dimensions, const char* what) {
  std::vector<int> extents(dimensions);
  for (int& extent : extents) {
    if (!(in >> extent)) throw Failure(std::string("Can't parse ") + what + " from stdin");
  }
  product(extents);
  return extents;
}

// Coordinates of a node, x first.
std::vector<int> coordinates_of(int node, const std::vector<int>& grid) {
  std::vector<int> x(grid.size());
  for (std::size_t d = 0; d < grid.size(); ++d) {
    x[d] = node % grid[d];
    node /= grid[d];
  }
  return x;
}

int node_at(const std::vector<int>& x, const std::vector<int>& grid) {
  int node = 0;
  for (std::size_t d = grid.size(); d-- > 0;) node = node * grid[d] + x[d];
  return node;
}

// Boxes of a lattice, one for each node; their sites in lexicographic order.
struct Boxes {
  std::vector<int> lattice, grid, box;

  Boxes(std::vector<int> extents, const Mesh& mesh) : lattice(std::move(extents)), grid(mesh.nodes) {
    if (grid.size() > lattice.size()) throw Failure("The machine has more dimensions than the lattice");
    grid.resize(lattice.size(), 1);
    for (std::size_t d = 0; d < lattice.size(); ++d) {
      if (lattice[d] % grid[d] != 0) throw Failure("LATTICE SIZE DOESN'T FIT GRID");
      box.push_back(lattice[d] / grid[d]);
    }
  }
  int sites() const { return product(box); }
};

const Boxes& boxes_at(const void* arg) { return *static_cast<const Boxes*>(arg); }

int node_number(const int coords[], void* arg) {
  const Boxes& all = boxes_at(arg);
  int node = 0;
  for (std::size_t d = all.grid.size(); d-- > 0;) node = node * all.grid[d] + coords[d] / all.box[d];
  return node;
}

QIO_Index node_index(const int coords[], void* arg) {
  const Boxes& all = boxes_at(arg);
  QIO_Index index = 0;
  for (std::size_t d = all.box.size(); d-- > 0;) {
    index = index * static_cast<QIO_Index>(all.box[d]) + static_cast<QIO_Index>(coords[d] % all.box[d]);
  }
  return index;
}

void get_coords(int coords[], int node, QIO_Index index, void* arg) {
  const Boxes& all = boxes_at(arg);
  for (std::size_t d = 0; d < all.box.size(); ++d) {
    const auto extent = static_cast<QIO_Index>(all.box[d]);
    coords[d] = node % all.grid[d] * all.box[d] + static_cast<int>(index % extent);
    node /= all.grid[d];
    index /= extent;
  }
}

QIO_Index num_sites(int, void* arg) { return static_cast<QIO_Index>(boxes_at(arg).sites()); }

// QIO's functions of I/O nodes take no argument.
const Mesh* mesh_of_files = nullptr;
int master_node() { return 0; }
int io_node(int node) { return mesh_of_files->io_node_of(node); }

// The extents that a file states.
std::vector<int> lattice_of(const std::string& name) {
  QIO_Layout layout{};
  layout.number_of_nodes = 1;
  const Text xml(QIO_string_create());
  QIO_Reader* const reader = QIO_open_read(xml.get(), name.c_str(), &layout, nullptr, nullptr);
  if (reader == nullptr) throw Failure("Can't read " + name);
  const int* const extents = QIO_get_reader_latsize(reader);
  std::vector<int> lattice(extents, extents + QIO_get_reader_latdim(reader));
  QIO_close_read(reader);
  return lattice;
}

QIO_Layout layout_of(Boxes& boxes, int nodes) {
  QIO_Layout layout{};
  layout.node_number_ext = node_number;
  layout.node_index_ext = node_index;
  layout.get_coords_ext = get_coords;
  layout.num_sites_ext = num_sites;
  layout.arg = &boxes;
  layout.latsize = boxes.lattice.data();
  layout.latdim = static_cast<int>(boxes.lattice.size());
  layout.volume = static_cast<std::size_t>(boxes.sites()) * static_cast<std::size_t>(nodes);
  layout.number_of_nodes = nodes;
  return layout;
}

}  // namespace

int Mesh::count() const { return product(nodes); }

int Mesh::io_node_of(int node) const {
  std::vector<int> x = coordinates_of(node, nodes);
  for (std::size_t d = 0; d < x.size(); ++d) {
    const int shared = nodes[d] / io_nodes[d];
    x[d] = x[d] / shared * shared;
  }
  return node_at(x, nodes);
}

Mesh read_mesh(std::istream& in, bool has_io_nodes) {
  int dimensions = 0;
  if (!(in >> dimensions) || dimensions < 1 || dimensions > QIO_MAXINTARRAY) {
    throw Failure("Can't parse machdim from stdin");
  }
  Mesh mesh;
  mesh.nodes = read_extents(in, static_cast<std::size_t>(dimensions), "machsize");
  mesh.io_nodes = has_io_nodes ? read_extents(in, mesh.nodes.size(), "the I/O machine dimensions") : mesh.nodes;
  for (std::size_t d = 0; d < mesh.nodes.size(); ++d) {
    if (mesh.nodes[d] % mesh.io_nodes[d] == 0) continue;
    throw Failure("Machine size " + std::to_string(mesh.nodes[d]) + " not commensurate with I/O size " +
                  std::to_string(mesh.io_nodes[d]));
  }
  return mesh;
}

IoNodeFiles::IoNodeFiles(const Mesh& mesh) : mesh_(mesh) {
  for (int node = 0; node < mesh.count(); ++node) {
    if (mesh.io_node_of(node) == node) numbers_.push_back(node);
  }
  folders_.resize(numbers_.size());
}

void IoNodeFiles::place(int entry, const std::string& folder) {
  folders_[static_cast<std::size_t>(entry)] = folder;
  if (::mkdir(folder.c_str(), 0775) == 0 || errno == EEXIST) return;
  throw Failure("Can't make " + folder + ": " + std::strerror(errno));
}

QIO_Filesystem IoNodeFiles::get() {
  paths_.clear();
  for (std::string& folder : folders_) paths_.push_back(folder.data());
  QIO_Filesystem filesystem{};
  filesystem.number_io_nodes = count();
  filesystem.type = QIO_MULTI_PATH;
  mesh_of_files = &mesh_;
  filesystem.my_io_node = io_node;
  filesystem.master_io_node = master_node;
  filesystem.io_node = numbers_.data();
  filesystem.node_path = paths_.data();
  return filesystem;
}

void convert(const Mesh& mesh, IoNodeFiles& files, int argc, char** argv) {
  const int direction = std::atoi(argv[1]);
  const char* const name = argv[2];
  const Text lfn(argc > 3 ? QIO_string_create() : nullptr);
  if (lfn) QIO_string_set(lfn.get(), argv[3]);
  QIO_Filesystem filesystem = files.get();
  const std::unique_ptr<char, decltype(&std::free)> first(
      direction == 0 ? ::strdup(name) : QIO_set_filepath(&filesystem, name, 0), &std::free);
  if (!first) throw Failure("No memory for a name");
  Boxes boxes(lattice_of(first.get()), mesh);
  QIO_Layout layout = layout_of(boxes, mesh.count());
  QIO_verbose(QIO_VERB_REG);
  std::printf("Converting %s from %s\n", name,
              direction == 0   ? "SINGLEFILE to PARTFILE"
              : direction == 1 ? "PARTFILE to SINGLEFILE ILDG"
                               : "PARTFILE to SINGLEFILE SciDAC");
  const int code = direction == 0 ? QIO_single_to_part(name, &filesystem, &layout, QIO_PARTFILE)
                                  : QIO_part_to_single(name, direction == 1 ? QIO_ILDGLAT : QIO_ILDGNO,
                                                       direction == 1 ? lfn.get() : nullptr, &filesystem, &layout);
  if (code != QIO_SUCCESS) throw Failure(std::string(name) + ": not converted (" + std::to_string(code) + ")");
}

}  // namespace lq::programs::qio
