// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// Bytes of headers of objects, and the parts of attributes in them.
#pragma once

#include <vector>

#include "base/byte_source.hpp"
#include "hdf5/headers/cursor.hpp"

namespace lq::hdf5 {

using HeaderBytes = std::vector<std::byte>;

// malformed: they do not lie in the file, or are more than a header has.
HeaderBytes bytes_at(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes);

struct AttributeParts {
  base::Bytes name, type, space;  // the name with its NUL
  bool shares_type = false, shares_space = false;
};

// All of an attribute before its value, where `cursor` is then.
AttributeParts take_attribute(Cursor& cursor);

}  // namespace lq::hdf5
