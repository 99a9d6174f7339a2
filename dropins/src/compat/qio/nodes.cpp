// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/nodes.hpp"

#include <fmt/format.h>

#include "comm/agree.hpp"

namespace lq::compat::qio {

std::shared_ptr<comm::Comm> nodes_of_layout(int number_of_nodes, int this_node) {
  if (number_of_nodes <= 1) return comm::make_self();
  std::shared_ptr<comm::Comm> all = all_nodes();
  const bool is_numbered_alike = this_node == all->rank();
  comm::agree(*all, [&] {
    if (number_of_nodes == all->size() && this_node >= 0 && this_node < number_of_nodes) return;
    throw Error(Code::invalid_argument, fmt::format("qio: node {} of {}, where the program has {} processes", this_node,
                                                    number_of_nodes, all->size()));
  });
  std::uint64_t alike = is_numbered_alike ? 1 : 0;
  all->all_reduce({&alike, 1}, comm::Reduce::min);
  if (alike == 1) return all;
  std::shared_ptr<comm::Comm> renumbered = comm::agree(*all, [&] { return all->split(0, this_node); });
  comm::agree(*all, [&] {
    if (renumbered->rank() == this_node) return;
    throw Error(Code::invalid_argument, fmt::format("qio: several processes say that they are node {}", this_node));
  });
  return renumbered;
}

}  // namespace lq::compat::qio
