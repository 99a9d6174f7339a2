// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of a layout, whichever of the two forms it has.
#pragma once

#include <qio.h>

#include <cstdint>

namespace lq::compat::qio {

// Of a QIO_Layout or a DML_Layout, which outlives it.
template <class Layout>
class LayoutCalls {
 public:
  explicit LayoutCalls(const Layout& layout) : layout_(layout) {}
  bool knows_coordinates() const { return layout_.get_coords != nullptr || layout_.get_coords_ext != nullptr; }
  bool knows_nodes() const {
    return (layout_.node_number != nullptr || layout_.node_number_ext != nullptr) &&
           (layout_.node_index != nullptr || layout_.node_index_ext != nullptr);
  }
  int node(const int* coordinates) const {
    return layout_.node_number != nullptr ? layout_.node_number(coordinates)
                                          : layout_.node_number_ext(coordinates, layout_.arg);
  }
  std::uint64_t index(const int* coordinates) const {
    return layout_.node_index != nullptr ? static_cast<std::uint64_t>(layout_.node_index(coordinates))
                                         : layout_.node_index_ext(coordinates, layout_.arg);
  }
  void coordinates(int* to, int node, std::uint64_t index) const {
    if (layout_.get_coords != nullptr) return layout_.get_coords(to, node, static_cast<int>(index));
    layout_.get_coords_ext(to, node, index, layout_.arg);
  }
  std::uint64_t sites(int node) const {
    if (layout_.num_sites != nullptr) return static_cast<std::uint64_t>(layout_.num_sites(node));
    if (layout_.num_sites_ext != nullptr) return layout_.num_sites_ext(node, layout_.arg);
    return layout_.sites_on_node;
  }

 private:
  const Layout& layout_;
};

}  // namespace lq::compat::qio
