// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whether somebody who appends to a file was faster than who reads it, so that what was read may be a mixture.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "io/journal.hpp"
#include "storage/forwarding.hpp"

namespace lq::io {

// A file that can tell whether all that was read of it would be read again.
class RememberedReads final : public storage::ForwardingFile {
 public:
  explicit RememberedReads(std::shared_ptr<File> inner) : ForwardingFile(std::move(inner)) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Reads all of it once more. What is after it meanwhile is nothing that was read.
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
  // Both outlive it.
  JournalWatch(storage::Transport& transport, storage::File& file);

  const FoundJournal& found() const noexcept { return found_; }
  // Whether what was read stood in the file at one moment. What is appended behind the old end, and a journal that is
  // applied while it is heeded, disturb nobody. Where everything is read alike before and after a moment at which the
  // journal was as it was found, all of it stood in the file at that moment. Time stamps spare the second reading where
  // they can tell: states that follow each other within a tick of a file system's clock have the same. They spare the
  // second look for a journal, too, where there was none: a file system asks all of its servers for such a name.
  bool is_still_so(RememberedReads& reads) const;

 private:
  storage::Transport& transport_;
  storage::File& file_;
  storage::Identity before_;
  std::int64_t began_ = 0;  // nanoseconds, by our clock
  FoundJournal found_;
};

// Local. Does `work` on a file as its journal makes it, again where somebody who writes to it was faster, so that what
// was read may be a mixture; io: it never rests. `work` is told what lies next to the file.
LQ_INNER void read_undisturbed(storage::Transport& transport, const std::shared_ptr<storage::File>& file,
                               base::FunctionRef<void(storage::File& file, const FoundJournal& journal)> work);

}  // namespace lq::io
