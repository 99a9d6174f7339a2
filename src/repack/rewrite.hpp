// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::defragment() and lq::rewrite() on any transport.
#pragma once

#include <string>

#include <limequat/repack.hpp>

#include "transport/transport.hpp"

namespace lq::repack {

// Local.
RepackReport defragment(transport::Transport& transport, const std::string& from, const std::string& to,
                        const RepackOptions& options);
RepackReport rewrite(transport::Transport& transport, const std::string& from, const std::string& to,
                     const RepackOptions& options);

}  // namespace lq::repack
