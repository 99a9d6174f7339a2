// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/layout_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "comm/agree.hpp"
#include "compat/qio/outcome.hpp"

namespace lq::compat::qio {
namespace {

int* copied(const int* numbers, int count) noexcept {
  auto* memory = static_cast<int*>(std::calloc(static_cast<std::size_t>(std::max(count, 1)), sizeof(int)));
  if (memory != nullptr && numbers != nullptr && count > 0) {
    std::memcpy(memory, numbers, static_cast<std::size_t>(count) * sizeof(int));
  }
  return memory;
}

}  // namespace

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
  });
  std::uint64_t count = all.size();
  comm.broadcast(std::as_writable_bytes(std::span(&count, 1)), 0);
  comm::agree(comm, [&] {
    all.resize(static_cast<std::size_t>(count));
    std::ranges::sort(all);
  });
  comm.broadcast(std::as_writable_bytes(std::span(all)), 0);
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
    throw Error(Code::invalid_argument, "qio: the nodes do not have each site of the lattice once");
  });
  const std::uint64_t count = ranks.size();
  if (own->rank() != 0) ranks = {};
  comm::Comm* const comm = own.get();
  std::optional<Boxes> boxes = comm::agree(all, [&] { return boxes_of(*comm, extents, order); });
  return {comm, std::move(own), 0, io_node, count, std::move(order), std::move(ranks), std::move(boxes)};
}

}  // namespace lq::compat::qio
