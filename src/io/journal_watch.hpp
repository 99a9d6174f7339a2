// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether somebody who appends to a file was faster than who reads it, so that what was read may be a mixture.
#pragma once

#include "io/journal.hpp"

namespace lq::io {

class JournalWatch {
 public:
  static constexpr int attempts = 20;  // to read without being disturbed

  // Both outlive it.
  JournalWatch(transport::Transport& transport, transport::File& file)
      : transport_(transport), file_(file), before_(file.identity()), found_(find_journal(transport, file)) {}

  const FoundJournal& found() const noexcept { return found_; }
  // What is appended behind the old end, and a journal that is applied while it is heeded, disturb nobody.
  bool is_still_so() const {
    const FoundJournal now = find_journal(transport_, file_);
    return now.bytes == found_.bytes && now.state == found_.state &&
           (now.state != FoundJournal::State::absent || is_unchanged(before_, file_.identity()));
  }

 private:
  transport::Transport& transport_;
  transport::File& file_;
  transport::Identity before_;
  FoundJournal found_;
};

}  // namespace lq::io
