// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a sidecar with parity (docs/formats/parity.md) knows of a file, and whether a differing file was damaged or
// rewritten: decided by the sums that the file has of itself, and by how much of it differs. Local.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/protect.hpp>

#include "base/byte_source.hpp"
#include "protection/sidecar.hpp"

namespace lq::sets {

// The physical files of a file, including itself, and those of the set of subfiles that it describes.
std::vector<std::string> members_of(const std::string& path, const Catalog& catalog);

// Facts about a file without its sidecar. Parts of a set have no sums of their own: those of the whole apply to
// them.
struct OwnExamination {
  std::optional<Verdict> verdict;                    // empty: no known format
  Catalog catalog = {};                              // of a file that can be scanned
  std::vector<protection::OwnSum> sums_before = {};  // from the sidecar
  bool is_another_set = false;                       // an intact set that no longer has all files of the sidecar
};
// `verdict`: from verify_own(); the catalogue is read here. `cover`: of the file itself.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, std::optional<Verdict> verdict);
// The same for the file whose sums apply to the one of the cover: itself, or the whole that it is a part of, which is
// verified.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, int threads);

// A file compared with its sidecar.
struct JudgedFile {
  ProtectedFile file;
  std::vector<protection::Range> unprovable;  // the sums of these blocks are damaged in both copies
  std::uint64_t bytes_now = 0;
  bool is_ok() const noexcept { return file.state == ProtectedState::intact; }
};
// `source`: nullptr: it is lost.
JudgedFile judge(const protection::Cover& cover, base::ByteSource* source, const OwnExamination& own,
                 const std::string& path, int threads, const protection::PassedBlocks* passed = nullptr);
// The same for the file of that name, which is examined only if it differs.
JudgedFile judge(const protection::Cover& cover, const std::string& path, int threads, const Progress& progress = {});
// The error that a file does not exist, with the command that restores it from a sidecar, if any. Same on all ranks.
Error with_remedy(const Error& not_found);
// The message about a fault; empty: none.
std::string sentence_of(const JudgedFile& judged);
// The same as findings.
std::vector<Finding> findings_of(const JudgedFile& judged);
// For a sidecar that is damaged itself.
std::vector<Finding> findings_of(const protection::Sidecar& sidecar, const std::vector<protection::Range>& damage);

}  // namespace lq::sets
