// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of MPI, translated in one place.
#pragma once

namespace lq::mpi {

// Throws Error(communication) "MPI: cannot WHAT: REASON" unless `code` is MPI_SUCCESS.
void check(int code, const char* what);

// Throws Error(wrong_state) unless MPI is initialised and not yet finalised.
void require_running();

}  // namespace lq::mpi
