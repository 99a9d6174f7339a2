// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file of two fields through QIO's interface, written and read by all nodes, each of which has some of the sites.
#pragma once

#include <qio.h>

#include <string>

namespace lq::testing {

// Whose sites are which, for the calls that follow: each node has time slices, or sites are dealt out in turn, so that
// none has a neighbour on its node.
void deal_sites(bool in_slices);

// Collective. The first code of opening (1: NULL), writing and closing that is not QIO_SUCCESS. `version`: 0 or 1.
int write_fields(const std::string& path, int volfmt, int version = 0);

// Collective. The first code that is not QIO_SUCCESS; what was read without one is expected to be right, and all of one
// version, on all nodes.
int read_fields(const std::string& path, int* version = nullptr);

}  // namespace lq::testing
