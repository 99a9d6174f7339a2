// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files of a catalogue verified again, and what has happened to them since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <limequat/ensemble.hpp>

#include "catalogue/database.hpp"
#include "catalogue/walk.hpp"

namespace lq::catalogue {

// Seconds of "30d", "12h": a number and one of s, m, h, d, w. invalid_argument.
std::int64_t seconds_of(const std::string& since);

// How a file was when it was seen sound last.
struct SeenSound {
  std::string at;
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::uint32_t cksum = 0;
};

struct Judged {
  std::string verdict;
  std::string sentence;
};

// Of a file that is there and could be read: whether the bytes are others, and whether anybody wrote to it.
Judged judge(const std::optional<SeenSound>& before, const FileStatus& now, std::uint32_t cksum, bool is_ok);

ensemble::ScrubReport scrub(const Database& database, const ensemble::CatalogueOptions& options);

}  // namespace lq::catalogue
