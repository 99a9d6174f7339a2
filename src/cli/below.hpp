// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders as the root sees them, for verbs whose ranks work on their files together: files come and go, so a list made
// by each rank for itself could differ.
#pragma once

#include <string>

#include <limequat/ensemble.hpp>

#include "cli/session.hpp"

namespace lq::cli {

// Local. True if a folder of this name exists; false also if that cannot be found out, which the operations that follow
// report.
bool is_directory(const std::string& path) noexcept;
// Collective. The same.
bool is_folder(const Session& session, const std::string& path);
// Collective. ensemble::look_below(), with packed files among the entries, which FoundFile opens; its `others` have
// path, verdict and problem only.
ensemble::Below look_below(const Session& session, const std::string& folder, int threads, const Limits& limits);

}  // namespace lq::cli
