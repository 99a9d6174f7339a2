// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files held against their sidecars with parity (io/protected.hpp), by the verdict of the whole that they are of.
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

// The physical files that a file consists of, itself among them, and those of the set of subfiles that it describes.
std::vector<std::string> members_of(const std::string& path, const Catalog& catalog);

using io::JudgedFile;
using io::OwnExamination;

// `verdict` as verify_own() gives it; the catalogue is read here. `cover`: that of the file itself.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, std::optional<Verdict> verdict);
// The same of the file that speaks for the one of the cover: itself, or the whole that it is a part of, which is
// verified.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, int threads);

using io::judge;
// A file of that name held against its sidecar; it is examined only where it differs.
JudgedFile judge(const protection::Cover& cover, const std::string& path, int threads, const Progress& progress = {});
// The error that a file does not exist, and where a sidecar brings it back how. On all ranks alike.
Error with_remedy(const Error& not_found);
using io::findings_of;
using io::sentence_of;

}  // namespace lq::sets
