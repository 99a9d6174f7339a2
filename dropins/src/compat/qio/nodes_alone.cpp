// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Without MPI there is one process.
#include <qio.h>

#include "compat/qio/nodes.hpp"

namespace lq::compat::qio {

std::shared_ptr<comm::Comm> all_nodes() { return comm::make_self(); }

int use_communicator(const void* communicator) { return communicator == nullptr ? QIO_SUCCESS : QIO_BAD_ARG; }

}  // namespace lq::compat::qio
