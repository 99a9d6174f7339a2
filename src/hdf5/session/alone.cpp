// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For builds without the HDF5 library.

#include "hdf5/session/session.hpp"

#include "base/error.hpp"

namespace lq::hdf5 {

std::unique_ptr<File::Session> open_session(const std::string& path, Mode, const Communicator&, const Hdf5Options&) {
  base::fail(Code::unsupported, {.path = path},
             "this Limequat was built without HDF5; build it again with HDF5 1.10 or later (Debian: libhdf5-dev; cmake "
             "-DLQ_WITH_HDF5=ON shows why it is not found)");
}

}  // namespace lq::hdf5
