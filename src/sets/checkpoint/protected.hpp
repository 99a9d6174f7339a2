// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files compared with their sidecars with parity (io/protected.hpp), by the verdict on the whole that they are part of.
// Local.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/protect.hpp>

#include "io/protected.hpp"
#include "protection/sidecar.hpp"

namespace lq::sets {

// The physical files of a file, including itself, and those of the set of subfiles that it describes.
std::vector<std::string> members_of(const std::string& path, const Catalog& catalog);

using io::JudgedFile;
using io::OwnExamination;

// `verdict`: from verify_own(); the catalogue is read here. `cover`: of the file itself.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, std::optional<Verdict> verdict);
// The same for the file whose sums apply to the one of the cover: itself, or the whole that it is a part of, which is
// verified.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, int threads);

using io::judge;
// The same for the file of that name, which is examined only if it differs.
JudgedFile judge(const protection::Cover& cover, const std::string& path, int threads, const Progress& progress = {});
// The error that a file does not exist, with the command that restores it from a sidecar, if any. Same on all ranks.
Error with_remedy(const Error& not_found);
using io::findings_of;
using io::sentence_of;

}  // namespace lq::sets
