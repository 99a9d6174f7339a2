// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the sites of a field that a layout found lie in the file.
#pragma once

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "hdf5/layouts/folder.hpp"

namespace lq::hdf5 {

// Throws unsupported, malformed or too_large where its sites cannot be read, with a sentence that says why.
Payload place(const Opened& file, hid_t group, const FoundField& field, const Limits& limits);

}  // namespace lq::hdf5
