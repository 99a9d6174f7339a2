// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/below.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/address.hpp"

namespace lq::cli {
namespace {

// Names in transit to other ranks, each terminated by a zero byte, which no name contains.
class Names {
 public:
  explicit Names(std::string text = {}) : text_(std::move(text)) {}

  void add(const std::string& name) { (text_ += name) += '\0'; }
  std::string take() {
    const std::size_t begin = std::exchange(at_, text_.find('\0', at_) + 1);
    return text_.substr(begin, at_ - 1 - begin);
  }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_directory(const std::string& path) noexcept {
  std::error_code failure;
  return std::filesystem::is_directory(path, failure);
}

bool is_folder(const Session& session, const std::string& path) {
  return at_root(session, [&] { return is_directory(path) ? 1 : 0; }) == 1;
}

ensemble::Below look_below(const Session& session, const std::string& folder, int threads, const Limits& limits) {
  ensemble::Below below;
  Names names;
  at_root(session, [&] {
    below = ensemble::look_below(folder, threads, limits);
    // Those that should be lattice files by their names, for example: reading them shows what they contain.
    std::erase_if(below.others, [&](const ensemble::VerifiedFile& file) {
      const bool may_be_entry = file.verdict == Verdict::unreadable && !file.error && is_packed(file.path);
      if (may_be_entry) below.entries.push_back(file.path);
      return may_be_entry;
    });
    std::ranges::sort(below.entries);
    names.add(std::to_string(below.entries.size()));
    for (const std::string& entry : below.entries) names.add(entry);
    names.add(std::to_string(below.others.size()));
    for (const ensemble::VerifiedFile& file : below.others) {
      names.add(file.path);
      names.add(std::to_string(static_cast<int>(file.verdict)));
      names.add(file.problem);
    }
    return 0;
  });
  Names told(session.text_from_root(names.text()));
  if (session.is_root()) return below;
  for (auto left = std::stoull(told.take()); left > 0; --left) below.entries.push_back(told.take());
  for (auto left = std::stoull(told.take()); left > 0; --left) {
    ensemble::VerifiedFile& file = below.others.emplace_back();
    file.path = told.take();
    file.verdict = static_cast<Verdict>(std::stoi(told.take()));
    file.problem = told.take();
  }
  return below;
}

}  // namespace lq::cli
