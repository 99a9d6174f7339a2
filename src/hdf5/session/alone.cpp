// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Without the HDF5 library.
#include <limequat/error.hpp>

#include "hdf5/session/session.hpp"

namespace lq::hdf5 {

std::unique_ptr<File::Session> open_session(const std::string& path, Mode, const Communicator&, const Hdf5Options&) {
  throw Error(Code::unsupported,
              path +
                  ": this Limequat was built without HDF5; build it again with HDF5 1.10 or later (Debian: "
                  "libhdf5-dev; cmake -DLQ_WITH_HDF5=ON shows why it is not found)",
              {.path = path});
}

}  // namespace lq::hdf5
