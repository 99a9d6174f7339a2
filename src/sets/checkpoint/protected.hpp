// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a sidecar with parity (docs/formats/parity.md) says of a file, and whether a file that differs was damaged or
// written anew: by the sums that it keeps of itself, and by how much of it differs. Local.
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

// The physical files that a file consists of, itself among them, and those of the set of subfiles that it describes.
std::vector<std::string> members_of(const std::string& path, const Catalog& catalog);

// What is known of a file without its sidecar. Parts of a set have no sums of themselves: those of the whole speak for
// them.
struct OwnExamination {
  std::optional<Verdict> verdict;                    // nothing: it is of no format that is known
  Catalog catalog = {};                              // of a file that can be scanned
  std::vector<protection::OwnSum> sums_before = {};  // that the sidecar has of it
  bool is_another_set = false;                       // a sound one that has no longer all of the files of the sidecar
};
// `verdict` as verify_own() gives it; the catalogue is read here. `cover`: that of the file itself.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, std::optional<Verdict> verdict);
// The same of the file that speaks for the one of the cover: itself, or the whole that it is a part of, which is
// verified.
OwnExamination own_examination(const protection::Cover& cover, const std::string& path, int threads);

// A file held against its sidecar.
struct JudgedFile {
  ProtectedFile file;
  std::vector<protection::Range> unprovable;  // the sums of these blocks are damaged in both copies
  std::uint64_t bytes_now = 0;
  bool is_ok() const noexcept { return file.state == ProtectedState::intact; }
};
// `source`: nullptr: it is lost.
JudgedFile judge(const protection::Cover& cover, base::ByteSource* source, const OwnExamination& own,
                 const std::string& path, int threads, const protection::PassedBlocks* passed = nullptr);
// The same of the file of that name, which is examined only where it differs.
JudgedFile judge(const protection::Cover& cover, const std::string& path, int threads, const Progress& progress = {});
// The error that a file does not exist, and where a sidecar brings it back how. On all ranks alike.
Error with_remedy(const Error& not_found);
// The sentence about what is wrong; empty: nothing is.
std::string sentence_of(const JudgedFile& judged);
// The same as findings.
std::vector<Finding> findings_of(const JudgedFile& judged);
// Of a sidecar that is damaged itself.
std::vector<Finding> findings_of(const protection::Sidecar& sidecar, const std::vector<protection::Range>& damage);

}  // namespace lq::sets
