// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For programs of one process that convert files of many nodes: paths, and layouts in which the I/O nodes have all
// sites, or one node has (qio.h). What these were made from is kept, as the functions of a layout get no argument.
#include <qio.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "compat/qio/layout_calls.hpp"
#include "compat/qio/layout_copy.hpp"
#include "compat/qio/outcome.hpp"

using namespace lq::compat::qio;

namespace {

// The nodes of the machine for which files are made, and who writes for whom.
struct Machine {
  QIO_Layout layout{};
  std::vector<int> io_node_of, rank_of;     // of each node; rank -1: no I/O node
  std::vector<std::uint64_t> first_of;      // of each node: number of its first site among those of its I/O node
  std::vector<std::vector<int>> family_of;  // nodes, by the rank of their I/O node
  bool is_shared = false;                   // nodes write for others

  LayoutCalls<QIO_Layout> calls() const { return LayoutCalls<QIO_Layout>(layout); }
};

Machine& the_machine() {
  static Machine known;
  return known;
}

void learn(const QIO_Layout& layout, const QIO_Filesystem& fs) {
  Machine made;
  made.layout = layout;
  made.is_shared = fs.number_io_nodes != layout.number_of_nodes;
  const IoNodes io_nodes(&fs);
  const auto nodes = static_cast<std::size_t>(std::max(layout.number_of_nodes, 0));
  made.rank_of.assign(nodes, -1);
  made.family_of.resize(static_cast<std::size_t>(std::max(fs.number_io_nodes, 0)));
  for (int rank = 0; rank < fs.number_io_nodes; ++rank) {
    made.rank_of.at(static_cast<std::size_t>(fs.io_node != nullptr ? fs.io_node[rank] : rank)) = rank;
  }
  std::vector<std::uint64_t> sites(made.family_of.size());
  for (std::size_t node = 0; node < nodes; ++node) {
    made.io_node_of.push_back(io_nodes.of(static_cast<int>(node)));
    const int rank = made.rank_of.at(static_cast<std::size_t>(made.io_node_of.back()));
    const auto family = static_cast<std::size_t>(rank);
    made.family_of.at(family).push_back(static_cast<int>(node));
    made.first_of.push_back(sites[family]);
    sites[family] += made.calls().sites(static_cast<int>(node));
  }
  the_machine() = std::move(made);
}

bool is_io_node(int node) {
  const std::vector<int>& ranks = the_machine().rank_of;
  return node >= 0 && static_cast<std::size_t>(node) < ranks.size() && ranks[static_cast<std::size_t>(node)] >= 0;
}

const std::vector<int>& family_of(int io_node) {
  return the_machine().family_of[static_cast<std::size_t>(the_machine().rank_of[static_cast<std::size_t>(io_node)])];
}

// --- Each I/O node has the sites of all for which it writes ----------------------------------------------------------

int node_of_io_layout(const int coords[], void*) {
  return the_machine().io_node_of[static_cast<std::size_t>(the_machine().calls().node(coords))];
}

QIO_Index index_of_io_layout(const int coords[], void*) {
  const int node = the_machine().calls().node(coords);
  return the_machine().first_of[static_cast<std::size_t>(node)] + the_machine().calls().index(coords);
}

void coords_of_io_layout(int coords[], int io_node, QIO_Index index, void*) {
  if (!is_io_node(io_node)) return;
  const std::vector<int>& family = family_of(io_node);
  const auto first = [](int node) { return the_machine().first_of[static_cast<std::size_t>(node)]; };
  auto behind = std::upper_bound(family.begin(), family.end(), index,
                                 [&](QIO_Index number, int node) { return number < first(node); });
  if (behind == family.begin()) return;
  const int node = *std::prev(behind);
  the_machine().calls().coordinates(coords, node, index - first(node));
}

QIO_Index sites_of_io_layout(int io_node, void*) {
  if (!is_io_node(io_node)) return 0;
  QIO_Index sites = 0;
  for (const int node : family_of(io_node)) sites += the_machine().calls().sites(node);
  return sites;
}

// --- One node has all sites, in lexicographic order ------------------------------------------------------------------

int node_of_scalar_layout(const int[], void*) { return 0; }
QIO_Index index_of_scalar_layout(const int coords[], void*) {
  const QIO_Layout& layout = the_machine().layout;
  return static_cast<QIO_Index>(DML_lex_rank(coords, layout.latdim, layout.latsize));
}
void coords_of_scalar_layout(int coords[], int, QIO_Index index, void*) {
  const QIO_Layout& layout = the_machine().layout;
  DML_lex_coords(coords, layout.latdim, layout.latsize, static_cast<DML_SiteRank>(index));
}
QIO_Index sites_of_scalar_layout(int, void*) { return the_machine().layout.volume; }

QIO_Layout* copied(const QIO_Layout& layout) {
  auto* const copy = static_cast<QIO_Layout*>(std::malloc(sizeof(QIO_Layout)));
  if (copy != nullptr) *copy = layout;
  return copy;
}

// The four functions of a layout that get its argument.
struct Functions {
  int (*node_number)(const int[], void*);
  QIO_Index (*node_index)(const int[], void*);
  void (*get_coords)(int[], int, QIO_Index, void*);
  QIO_Index (*num_sites)(int, void*);
};

constexpr Functions of_io_layout{node_of_io_layout, index_of_io_layout, coords_of_io_layout, sites_of_io_layout};
constexpr Functions of_scalar_layout{node_of_scalar_layout, index_of_scalar_layout, coords_of_scalar_layout,
                                     sites_of_scalar_layout};

QIO_Layout* with_functions(const QIO_Layout& layout, const Functions& functions) {
  QIO_Layout* const made = copied(layout);
  if (made == nullptr) return nullptr;
  made->node_number = nullptr;
  made->node_index = nullptr;
  made->get_coords = nullptr;
  made->num_sites = nullptr;
  made->node_number_ext = functions.node_number;
  made->node_index_ext = functions.node_index;
  made->get_coords_ext = functions.get_coords;
  made->num_sites_ext = functions.num_sites;
  return made;
}

// --- The functions without _ext, by those with it --------------------------------------------------------------------

LayoutCalls<QIO_Layout> calls_at(void* arg) { return LayoutCalls<QIO_Layout>(*static_cast<QIO_Layout*>(arg)); }

int node_of_copy(const int coords[], void* arg) { return calls_at(arg).node(coords); }
QIO_Index index_of_copy(const int coords[], void* arg) { return calls_at(arg).index(coords); }
void coords_of_copy(int coords[], int node, QIO_Index index, void* arg) {
  calls_at(arg).coordinates(coords, node, index);
}
QIO_Index sites_of_copy(int node, void* arg) { return calls_at(arg).sites(node); }
constexpr Functions of_copy{node_of_copy, index_of_copy, coords_of_copy, sites_of_copy};

// The number in another layout.
int renumbered(const Functions& from, int node, int index, const Functions& to) {
  int coords[QIO_MAXINTARRAY] = {};
  from.get_coords(coords, node, static_cast<QIO_Index>(index), nullptr);
  return static_cast<int>(to.node_index(coords, nullptr));
}

}  // namespace

extern "C" {

char* QIO_set_filepath(QIO_Filesystem* fs, const char* const filename, int node) {
  std::string path;
  const auto made = outcome_of(QIO_ERR_ALLOC, [&] {
    const bool is_placed = fs->type == QIO_MULTI_PATH && fs->node_path != nullptr && fs->node_path[node][0] != '\0';
    path = is_placed ? std::string(fs->node_path[node]) + "/" + filename : filename;
  });
  return made.code == QIO_SUCCESS ? ::strdup(path.c_str()) : nullptr;
}

QIO_Layout* QIO_create_ionode_layout(QIO_Layout* layout, QIO_Filesystem* fs) {
  if (outcome_of(QIO_BAD_ARG, [&] { learn(*layout, *fs); }).code != QIO_SUCCESS) return nullptr;
  if (!the_machine().is_shared) return copied(*layout);
  return with_functions(*layout, of_io_layout);
}

void QIO_delete_ionode_layout(QIO_Layout* layout) { std::free(layout); }

QIO_Layout* QIO_create_scalar_layout(QIO_Layout* layout, QIO_Filesystem* fs) {
  if (outcome_of(QIO_BAD_ARG, [&] { learn(*layout, *fs); }).code != QIO_SUCCESS) return nullptr;
  QIO_Layout* const made = with_functions(*layout, of_scalar_layout);
  if (made == nullptr) return nullptr;
  made->this_node = 0;
  made->number_of_nodes = 1;
  made->sites_on_node = layout->volume;
  return made;
}

void QIO_delete_scalar_layout(QIO_Layout* layout) { std::free(layout); }

int QIO_ionode_io_node(int node) { return node; }

int QIO_get_io_node_rank(int node) {
  if (!the_machine().is_shared) return node;
  return is_io_node(node) ? the_machine().rank_of[static_cast<std::size_t>(node)] : -1;
}

int QIO_ionode_to_scalar_index(int ionode_node, int ionode_index) {
  return renumbered(of_io_layout, ionode_node, ionode_index, of_scalar_layout);
}

int QIO_scalar_to_ionode_index(int scalar_node, int scalar_index) {
  return renumbered(of_scalar_layout, scalar_node, scalar_index, of_io_layout);
}

QIO_Layout* QIO_check_layout_ext(QIO_Layout* layout) {
  if (layout->node_number == nullptr && layout->node_index == nullptr && layout->get_coords == nullptr &&
      layout->num_sites == nullptr) {
    return layout;
  }
  QIO_Layout* const original = copied(*layout);
  QIO_Layout* const made = with_functions(*layout, of_copy);
  if (original == nullptr || made == nullptr) {
    std::free(original);
    std::free(made);
    return nullptr;
  }
  made->arg = original;
  return made;
}

void QIO_free_layout_ext(DML_Layout* layout) {
  if (layout != nullptr && layout->node_number_ext == node_of_copy) std::free(layout->arg);
}

}  // extern "C"
