// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An Error as bytes, complete with its facts, so that all ranks can throw what one rank caught.
#pragma once

#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"

namespace lq::comm {

std::vector<std::byte> pack_error(const Error& error);
// `bytes` come from pack_error; anything else gives Error(communication).
Error unpack_error(base::Bytes bytes);

}  // namespace lq::comm
