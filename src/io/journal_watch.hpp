// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether somebody who appends to a file was faster than who reads it, so that what was read may be a mixture.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "io/journal.hpp"
#include "transport/forwarding.hpp"

namespace lq::io {

// A file that can tell whether all that was read of it would be read again. Time stamps cannot: states that follow each
// other within a tick of the system's clock have the same.
class RememberedReads final : public transport::ForwardingFile {
 public:
  explicit RememberedReads(std::shared_ptr<File> inner) : ForwardingFile(std::move(inner)) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Reads all of it once more.
  bool are_still_so();

 private:
  struct Read {
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t crc = 0;
  };
  std::vector<Read> reads_;
};

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
  // The same of what was read. Where everything is read alike before and after a moment at which the journal was as it
  // was found, all of it stood in the file at that moment.
  bool is_still_so(RememberedReads& reads) const {
    const FoundJournal now = find_journal(transport_, file_);
    return now.bytes == found_.bytes && now.state == found_.state &&
           (now.state == FoundJournal::State::complete || reads.are_still_so());
  }

 private:
  transport::Transport& transport_;
  transport::File& file_;
  transport::Identity before_;
  FoundJournal found_;
};

}  // namespace lq::io
