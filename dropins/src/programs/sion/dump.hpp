// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of siondump's output. Scripts compare its lines, so that labels and columns are those of SIONlib.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sion/set.hpp"

namespace lq::programs {

struct DumpOptions {
  bool chunks = false;          // -a
  bool in_bytes = false;        // -l
  bool map_as_list = false;     // -m
  bool map_by_file = false;     // -M
  bool key_statistics = false;  // -k
  bool key_list = false;        // -K
  bool memory = false;          // -S
};

// A line of dashes.
inline constexpr int long_rule = 155;
void print_rule(int length);

// How chunks and blocks of the file system are filled. `widths`: of the chunks of each task.
void print_filling(const format::sion::Set& set, const std::vector<std::int64_t>& widths);
// Bytes of each chunk of each task, ten chunks side by side.
void print_chunks(const format::sion::Set& set, const std::vector<std::int64_t>& widths, bool in_bytes);
void print_map(const format::sion::Set& set, const DumpOptions& options);
// Of each task its keys, and its records in order. Nothing where there are no key-value records.
void print_key_statistics(const format::sion::Set& set);
void print_key_list(const format::sion::Set& set);

}  // namespace lq::programs
