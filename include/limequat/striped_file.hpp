// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An empty file with stripes, for those who write it otherwise: MPI-IO, another program, lq::Storage.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <string>

#include <limequat/file_system.hpp>

namespace lq {

// Local. A new file of this name, with the stripes that one of so many bytes gets, or those asked for; what was done is
// returned, and where nothing could be, the file is there all the same. Zero bytes: the size is not known. exists:
// there is a file of this name; no_permission, not_found, ...
LQ_API Stripes create_striped(const std::string& path, std::uint64_t file_bytes = 0, const StripeRequest& request = {});

}  // namespace lq
