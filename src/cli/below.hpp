// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders as the root sees them, for verbs whose ranks work on their files together: files come and go, and a list that
// each rank makes by itself is another one on each.
#pragma once

#include <string>

#include <limequat/ensemble.hpp>

#include "cli/session.hpp"

namespace lq::cli {

// Collective. Whether there is a folder of this name.
bool is_folder(const Session& session, const std::string& path);
// Collective. ensemble::look_below(), of whose `others` the path, the verdict and the problem are there.
ensemble::Below look_below(const Session& session, const std::string& folder, int threads, const Limits& limits);

}  // namespace lq::cli
