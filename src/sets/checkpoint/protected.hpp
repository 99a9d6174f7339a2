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

// The sums that the fields of a file have in it, as a sidecar keeps them.
std::vector<protection::OwnSum> own_sums(const Catalog& catalog);

// What is known of a file without its sidecar.
struct OwnExamination {
  std::optional<Verdict> verdict;  // nothing: it is of no format that is known
  Catalog catalog = {};            // of a file that can be scanned
};
// `verdict` as verify_own() gives it; the catalogue is read here.
OwnExamination own_examination(base::ByteSource& file, std::optional<Verdict> verdict);

// A file held against its sidecar.
struct JudgedFile {
  ProtectedFile file;
  std::vector<protection::Range> unprovable;  // the sums of these blocks are damaged in both copies
  std::uint64_t bytes_now = 0;
  bool is_ok() const noexcept { return file.state == ProtectedState::intact; }
};
// `source`: nullptr: it is lost.
JudgedFile judge(const protection::Cover& cover, base::ByteSource* source, const OwnExamination& own,
                 const std::string& path, int threads, const Progress& progress = {});
// The sentence about what is wrong; empty: nothing is.
std::string sentence_of(const JudgedFile& judged);
// The same as findings.
std::vector<Finding> findings_of(const JudgedFile& judged);
// Of a sidecar that is damaged itself.
std::vector<Finding> findings_of(const protection::Sidecar& sidecar, const std::vector<protection::Range>& damage);

}  // namespace lq::sets
