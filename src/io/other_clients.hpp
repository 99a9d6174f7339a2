// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who reads back what whom wrote: a client's own cache cannot vouch for the file.
#pragma once

#include <cstdint>

#include "comm/comm.hpp"

namespace lq::io {

// Collective. How many ranks after itself each rank finds the share that it reads back, such that as many as possible
// read what another client wrote. `client`: of this rank, NewFile::client. 1 where all are one client.
std::uint64_t shift_to_other_clients(comm::Comm& comm, std::uint64_t client);

}  // namespace lq::io
