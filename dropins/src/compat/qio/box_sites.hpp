// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sites of a record of which the nodes have a box each: they travel as those of our own interface do. All others
// take the exchange of this folder.
#pragma once

#include <limequat/grid.hpp>

#include "compat/qio/layout_copy.hpp"
#include "compat/qio/record_sites.hpp"

namespace lq::compat::qio {

// Collective over the nodes of the family, agreed. The sites of a record that is written or read; `place` says where
// they lie. What went wrong on this node is kept in `failure`, the others have done their part all the same. Returns
// the sum of this node's sites.
Checksum sites_to_file(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                       std::exception_ptr& failure);
Checksum sites_from_file(comm::Comm& nodes, const RecordSites& sites, const SitePlace& place, const SiteCall& call,
                         std::exception_ptr& failure);

}  // namespace lq::compat::qio
