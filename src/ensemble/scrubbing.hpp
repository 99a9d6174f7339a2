// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a catalogue verified again, and what has happened to them since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"
#include "ensemble/walk.hpp"

namespace lq::ensemble {

// Seconds of "30d", "12h": a number and one of s, m, h, d, w. invalid_argument.
std::int64_t seconds_of(const std::string& since);

// A physical file of an entry and the CRC of its bytes.
struct SummedFile {
  std::string path;
  FileStatus status;
  std::uint32_t cksum = 0;
};

// How the files of an entry were when it passed last.
struct SeenSound {
  std::string at;
  std::vector<SummedFile> files;
};

struct Judged {
  std::string verdict;
  std::string sentence;
};

// Of an entry whose files could be read: what its verification says, and whether their bytes are others than before
// though nobody wrote to them.
Judged judge(const std::optional<SeenSound>& before, const std::vector<SummedFile>& now, Verdict verdict);

ensemble::ScrubReport scrub(const Database& database, const ensemble::CatalogueOptions& options);

}  // namespace lq::ensemble
