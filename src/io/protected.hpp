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
#include "base/inner.hpp"
#include "protection/sidecar.hpp"

namespace lq::io {

// What is known of a file without its sidecar. Parts of a set have no sums of themselves: those of the whole speak for
// them.
struct OwnExamination {
  std::optional<Verdict> verdict;                    // nothing: it is of no format that is known
  Catalog catalog = {};                              // of a file that can be scanned
  std::vector<protection::OwnSum> sums_before = {};  // that the sidecar has of it
  bool is_another_set = false;                       // a sound one that has no longer all of the files of the sidecar
};

// A file held against its sidecar.
struct JudgedFile {
  ProtectedFile file;
  std::vector<protection::Range> unprovable;  // the sums of these blocks are damaged in both copies
  std::uint64_t bytes_now = 0;
  bool is_ok() const noexcept { return file.state == ProtectedState::intact; }
};
// `source`: nullptr: it is lost.
LQ_INNER JudgedFile judge(const protection::Cover& cover, base::ByteSource* source, const OwnExamination& own,
                          const std::string& path, int threads, const protection::PassedBlocks* passed = nullptr);
// The same, compared already.
LQ_INNER JudgedFile judge(const protection::Cover& cover, base::ByteSource* source, const protection::FileCheck& check,
                          const OwnExamination& own, const std::string& path, int threads);
// The sentence about what is wrong; empty: nothing is.
LQ_INNER std::string sentence_of(const JudgedFile& judged);
// The same as findings.
LQ_INNER std::vector<Finding> findings_of(const JudgedFile& judged);
// Of a sidecar that is damaged itself.
LQ_INNER std::vector<Finding> findings_of(const protection::Sidecar& sidecar,
                                          const std::vector<protection::Range>& damage);

// Errors for the physical files of a catalogue that are not what was protected, and were not written anew. `verdict` is
// what its structure amounts to; data are compared by those who ask.
std::vector<Finding> damage_by_sidecar(const Catalog& catalog, Verdict verdict);

}  // namespace lq::io
