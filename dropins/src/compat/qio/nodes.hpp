// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes of a program as QIO's nodes: those of QMP's communicator where the program has QMP, those of MPI where
// it has that, else this one.
#pragma once

#include <memory>

#include "comm/comm.hpp"

namespace lq::compat::qio {

// Collective over all processes. Made again only where the program has changed to another communicator.
std::shared_ptr<comm::Comm> all_nodes();

// Local. From now on these are the nodes, an MPI_Comm of the program's; null: as before. QIO_BAD_ARG without MPI.
int use_communicator(const void* communicator);

// Collective. So many nodes, of which this process has that number; invalid_argument where the program has not as many
// processes, or two of them have one number. One node is this process alone, whatever the others do.
std::shared_ptr<comm::Comm> nodes_of_layout(int number_of_nodes, int this_node);

}  // namespace lq::compat::qio
