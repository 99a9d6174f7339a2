// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/layout_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "compat/qio/nodes.hpp"
#include "lattice/site_order.hpp"

namespace lq::compat::qio {

namespace {

// The box around all boxes, and the extents of each.
struct CommonBox {
  Box region, each;
};

// Collective. Empty if some sites are not a box, or boxes differ.
std::optional<CommonBox> find_neighbours(comm::Comm& nodes, int dimensions, const NodeSites& mine) {
  std::array<std::uint64_t, 4 * max_dimensions + 1> ends{};
  if (mine.count() > 0 && !mine.box()) ends.back() = 1;
  for (int d = 0; mine.box() && d < dimensions; ++d) {
    const auto lower = static_cast<std::uint64_t>(mine.box()->lower[d]);
    const auto extent = static_cast<std::uint64_t>(mine.box()->extents[d]);
    const std::uint64_t mine_of[] = {lower + extent, ~lower, extent, ~extent};
    std::ranges::copy(mine_of, ends.begin() + 4 * d);
  }
  nodes.all_reduce(ends, comm::Reduce::max);
  if (ends.back() != 0 || ends[0] == 0) return std::nullopt;
  CommonBox around{whole(Coord::filled(dimensions, 1)), whole(Coord::filled(dimensions, 1))};
  for (int d = 0; d < dimensions; ++d) {
    const auto at = ends.begin() + 4 * d;
    if (at[2] != ~at[3] || (at[0] - ~at[1]) % at[2] != 0) return std::nullopt;
    around.region.lower[d] = static_cast<std::int64_t>(~at[1]);
    around.region.extents[d] = static_cast<std::int64_t>(at[0] - ~at[1]);
    around.each.extents[d] = static_cast<std::int64_t>(at[2]);
  }
  return around;
}

// How many of the fastest dimensions, except for one, are whole on each node.
int whole_dimensions(const Extents& lattice, const CommonBox& around) {
  int d = 0;
  while (d + 1 < lattice.size() && around.each.extents[d] == lattice[d]) ++d;
  return d;
}

// A box with all of the `count` fastest dimensions, which are joined with the next one.
Box joined(const Box& box, int count) {
  Box joined = whole(Extents::filled(box.extents.size() - count, 1));
  std::int64_t sites = 1;
  for (int d = 0; d < count; ++d) sites *= box.extents[d];
  for (int d = count; d < box.extents.size(); ++d, sites = 1) {
    joined.lower[d - count] = box.lower[d] * sites;
    joined.extents[d - count] = box.extents[d] * sites;
  }
  return joined;
}

// The place of a node's box in the grid of boxes; empty: it has none, or is not at a place of the grid.
std::optional<Coord> place_of(const NodeSites& mine, const CommonBox& around) {
  if (!mine.box()) return std::nullopt;
  Coord place = mine.box()->lower;
  for (int d = 0; d < place.size(); ++d) {
    const std::int64_t from_first = place[d] - around.region.lower[d];
    if (from_first % around.each.extents[d] != 0) return std::nullopt;
    place[d] = from_first / around.each.extents[d];
  }
  return place;
}

int* copied(const int* numbers, int count) noexcept {
  auto* memory = static_cast<int*>(std::calloc(static_cast<std::size_t>(std::max(count, 1)), sizeof(int)));
  if (memory != nullptr && numbers != nullptr && count > 0) {
    std::memcpy(memory, numbers, static_cast<std::size_t>(count) * sizeof(int));
  }
  return memory;
}

}  // namespace

std::optional<Boxes> boxes_of(comm::Comm& nodes, const Extents& lattice, const NodeSites& mine) {
  const std::optional<CommonBox> around = find_neighbours(nodes, lattice.size(), mine);
  if (!around) return std::nullopt;
  Extents processes = around->region.extents;
  for (int d = 0; d < processes.size(); ++d) processes[d] /= around->each.extents[d];
  const std::optional<Coord> place = place_of(mine, *around);
  const auto rank = static_cast<std::uint64_t>(nodes.rank());
  const bool is_in_order = place && lattice::site_rank(*place, processes) == rank;
  std::array<std::uint64_t, 2> counts{place ? 1U : 0U, is_in_order ? 1U : 0U};
  nodes.all_reduce(counts, comm::Reduce::sum);
  if (counts[0] != volume(processes)) return std::nullopt;
  const int joining = whole_dimensions(lattice, *around);  // the grid has one place in these
  GridOptions options{.processes = joined(whole(processes), joining).extents};
  if (counts[1] != static_cast<std::uint64_t>(nodes.size())) {
    options.holds_sites = place.has_value();
    if (place) options.coordinates = joined({*place, Coord::filled(place->size(), 1)}, joining).lower;
  }
  const Box region = joined(around->region, joining);
  try {
    const Communicator all(std::shared_ptr<comm::Comm>(std::shared_ptr<comm::Comm>(), &nodes));
    const Box own = place ? *mine.box() : Box{Coord::filled(lattice.size(), 0), Coord::filled(lattice.size(), 0)};
    return Boxes{joined(whole(lattice), joining).extents, region, joined(own, joining),
                 Grid(all, region.extents, options)};
  } catch (const Error& error) {
    if (error.code() != Code::invalid_argument) throw;
    return std::nullopt;  // two nodes have the same box, on all of them
  }
}

DML_Layout* copy_layout(const QIO_Layout& layout) {
  auto* copy = static_cast<DML_Layout*>(std::calloc(1, sizeof(DML_Layout)));
  if (copy == nullptr) throw std::bad_alloc();
  copy->node_number = layout.node_number;
  copy->node_index = layout.node_index;
  copy->get_coords = layout.get_coords;
  copy->num_sites = layout.num_sites;
  copy->node_number_ext = layout.node_number_ext;
  copy->node_index_ext = layout.node_index_ext;
  copy->get_coords_ext = layout.get_coords_ext;
  copy->num_sites_ext = layout.num_sites_ext;
  copy->arg = layout.arg;
  copy->volume = layout.volume;
  copy->sites_on_node = layout.sites_on_node;
  copy->this_node = layout.this_node;
  copy->number_of_nodes = layout.number_of_nodes;
  copy->broadcast_globaldata = 1;
  copy->discover_dims_mode = layout.latdim == 0 ? 1 : 0;
  copy->recordtype = QIO_FIELD;
  copy->subsetvolume = layout.volume;
  if (set_extents(*copy, layout.latsize, layout.latdim)) return copy;
  free_layout(copy);
  throw std::bad_alloc();
}

void free_layout(DML_Layout* layout) noexcept {
  if (layout == nullptr) return;
  std::free(layout->latsize);
  std::free(layout->hyperlower);
  std::free(layout->hyperupper);
  std::free(layout);
}

bool set_extents(DML_Layout& layout, const int* extents, int count) noexcept {
  int* const fresh[] = {copied(extents, count), copied(nullptr, count), copied(nullptr, count)};
  if (std::ranges::find(fresh, nullptr) != std::end(fresh)) {
    for (int* memory : fresh) std::free(memory);
    return false;
  }
  std::free(layout.latsize);
  std::free(layout.hyperlower);
  std::free(layout.hyperupper);
  layout.latsize = fresh[0];
  layout.hyperlower = fresh[1];
  layout.hyperupper = fresh[2];
  layout.latdim = count;
  return true;
}

IoNodes::IoNodes(const QIO_Filesystem* fs)
    : of_node_(fs != nullptr && fs->my_io_node != nullptr ? fs->my_io_node : DML_io_node),
      master_(fs != nullptr && fs->master_io_node != nullptr ? fs->master_io_node() : DML_master_io_node()) {}

void set_io_nodes(DML_Layout& layout, const QIO_Filesystem* fs) {
  const IoNodes io_nodes(fs);
  layout.ionode = io_nodes.function();
  layout.master_io_node = io_nodes.master();
}

std::string name_of_part(const std::string& name, int volfmt, int node) {
  if (name.size() + 12 > QIO_MAX_FILENAME_LENGTH) {
    throw Refusal(QIO_BAD_ARG, fmt::format("{}: a name of more than {} bytes", name, QIO_MAX_FILENAME_LENGTH - 12));
  }
  if (volfmt == QIO_SINGLEFILE) return name;
  if (volfmt != QIO_PARTFILE_DIR) return fmt::format("{}.vol{:04d}", name, node);
  const std::size_t base = name.rfind('/') + 1;  // 0 where there is none
  return fmt::format("{}vol{:04d}/{}", name.substr(0, base), node, name.substr(base));
}

std::vector<std::uint64_t> ranks_of_all(comm::Comm& comm, const NodeSites& sites) {
  const std::vector<std::uint64_t> mine = comm::agree(comm, [&] { return sites.ranks(); });
  std::vector<std::uint64_t> all;
  comm::agree(comm, [&] {
    std::vector<std::byte> bytes;
    comm.gather_pieces(std::as_bytes(std::span(mine)), 0, [&](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    });
    all.resize(bytes.size() / sizeof(std::uint64_t));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    std::ranges::sort(all);
  });
  broadcast_all(comm, all, 0);
  return all;
}

FileNodes make_file_nodes(comm::Comm& all, int volfmt, const IoNodes& io_nodes, const QIO_Layout& layout) {
  NodeSites sites = comm::agree(all, [&] { return NodeSites(layout); });
  const Extents extents = comm::agree(all, [&] { return extents_of(layout); });
  if (volfmt == QIO_SINGLEFILE) {
    std::optional<Boxes> boxes = boxes_of(all, extents, sites);
    return {&all, nullptr, io_nodes.master(), 0, volume(extents), std::move(sites), {}, std::move(boxes)};
  }
  const int me = all.rank();
  const int io_node = volfmt == QIO_MULTIFILE ? me : io_nodes.of(me);
  comm::agree(all, [&] {
    if (io_node >= 0 && io_node < all.size() && (volfmt == QIO_MULTIFILE || io_nodes.of(io_node) == io_node)) return;
    throw Error(Code::invalid_argument,
                fmt::format("qio: node {}, which writes for node {}, does not write for itself", io_node, me));
  });
  // The I/O node comes first.
  std::unique_ptr<comm::Comm> own = comm::agree(all, [&] { return all.split(io_node, me == io_node ? 0 : me + 1); });
  std::vector<std::uint64_t> ranks;
  NodeSites order = comm::agree(all, [&] {
    if (volfmt == QIO_MULTIFILE) {
      NodeSites mine = sites.by_index();
      ranks = mine.ranks();
      return mine;
    }
    ranks = ranks_of_all(*own, sites);
    return sites.among(ranks);
  });
  std::uint64_t on_all = sites.count();
  all.all_reduce({&on_all, 1}, comm::Reduce::sum);
  comm::agree(all, [&] {
    if (on_all == volume(extents)) return;
    throw Error(Code::invalid_argument, "qio: the nodes do not have each site of the lattice exactly once");
  });
  const std::uint64_t count = ranks.size();
  if (own->rank() != 0) ranks = {};
  comm::Comm* const comm = own.get();
  std::optional<Boxes> boxes = comm::agree(all, [&] { return boxes_of(*comm, extents, order); });
  return {comm, std::move(own), 0, io_node, count, std::move(order), std::move(ranks), std::move(boxes)};
}

}  // namespace lq::compat::qio
