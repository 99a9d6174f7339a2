// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/opened.hpp"

namespace lq::hdf5 {

Opened::Opened(base::ByteSource& source)
    : superblock_(read_superblock(source)), image_(source), file_(open_in(image_, Access::read)) {}

}  // namespace lq::hdf5
