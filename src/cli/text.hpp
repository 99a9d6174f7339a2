// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Words, numbers and tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/field.hpp>
#include <limequat/sums.hpp>

#include "base/text.hpp"

namespace lq::cli {

// Characters, not bytes: record names and texts may be UTF-8.
std::size_t width_of(std::string_view text) noexcept;
std::vector<std::string> split(std::string_view text, char separator);
// base::printable, limited to the length of a line.
inline std::string printable(std::string_view bytes, std::size_t limit = 160) { return base::printable(bytes, limit); }
std::string count(std::uint64_t number, std::string_view noun);  // "1 record", "7 records"
std::string human_seconds(double seconds);                       // "12.5 us", "3.1 ms", "2 s"
std::string describe(const FieldSpec& spec);                     // "gauge SU(3)", "spinor SU(3)", "6 real numbers"
// `message` without a leading "PATH: ", for lines below the path.
std::string_view without_path(std::string_view message, std::string_view path) noexcept;

// Messages of the library name an option as C and C++ do, "options.allow_loss = true"; here it becomes the
// argument, "--allow-loss". Errors of Python have the keyword (python/limequat/errors.py).
std::string in_arguments(std::string_view sentence);

// "; did you mean "--json"?", or nothing when no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Text with aligned columns. Numbers are right-aligned, in columns whose titles are given as ">TITLE"; columns
// without a title are omitted, with the cells that rows have for them.
class Table {
 public:
  explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const noexcept { return rows_.empty(); }
  // Title and rows, one line each; no trailing blanks.
  std::string text() const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> rows_;
};

// The sums of a field without a SciDAC checksum: "sha256 of arrays"; `none` if it has none.
std::string stored_sums(const Sums& sums, std::string_view none = "none stored");

}  // namespace lq::cli
