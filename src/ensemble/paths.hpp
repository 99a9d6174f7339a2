// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Paths as a catalogue stores them: relative to its own folder, so that an ensemble moved with its catalogue, or
// mounted elsewhere, is found again (docs/formats/catalogue.md 6).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lq::ensemble {

class Paths {
 public:
  Paths() = default;
  // `folder`: the folder of the catalogue, absolute and without links.
  explicit Paths(std::string folder) : folder_(std::move(folder)) {}

  // Empty for a catalogue in memory, which stores paths unchanged.
  const std::string& folder() const noexcept { return folder_; }
  // Stored paths below `from` are read as below `to`; both are absolute.
  void redirect(std::string from, std::string to);
  bool redirects() const noexcept { return !redirections_.empty(); }

  std::string full(std::string_view kept) const;
  // The same relative to another folder, and without redirections.
  static std::string full_from(std::string_view folder, std::string_view kept);
  // The stored form of an absolute path; full() reverses it if nothing is redirected.
  std::string kept(std::string_view full) const;

 private:
  std::string folder_;
  std::vector<std::pair<std::string, std::string>> redirections_;
};

// True if `path` is the folder itself, or below it.
bool is_below(std::string_view path, std::string_view folder) noexcept;
// A message without the path at its beginning, "PATH: expected ...", for callers that show the path.
std::string_view without_leading_path(std::string_view sentence, std::string_view path) noexcept;

}  // namespace lq::ensemble
