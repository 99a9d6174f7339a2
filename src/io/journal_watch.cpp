// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "kernels/crc32.hpp"

namespace lq::io {

std::size_t RememberedReads::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  const std::size_t got = inner().read_at(offset, buffer);
  reads_.push_back({offset, got, kernels::crc32(0, buffer.first(got))});
  return got;
}

bool RememberedReads::are_still_so() {
  std::vector<std::byte> buffer;
  return std::ranges::all_of(reads_, [&](const Read& read) {
    buffer.resize(static_cast<std::size_t>(read.bytes));
    return inner().read_at(read.offset, buffer) == read.bytes && kernels::crc32(0, buffer) == read.crc;
  });
}

namespace {

// Clocks of file systems tick at least every 2 s, and those of servers may be some seconds late.
constexpr std::int64_t stamps_tell_after = 10'000'000'000;

std::int64_t now_by_our_clock() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

JournalWatch::JournalWatch(storage::Transport& transport, storage::File& file)
    : transport_(transport),
      file_(file),
      before_(file.identity_when_opened()),
      began_(now_by_our_clock()),
      journals_(journal_paths(file.path())),
      found_(find_journal(transport, file, journals_)) {}

bool JournalWatch::is_still_so(RememberedReads& reads) const {
  const bool stamps_tell = before_.modified < began_ - stamps_tell_after;
  const bool is_untouched = stamps_tell && is_unchanged(before_, file_.identity());
  if (is_untouched && found_.state == FoundJournal::State::absent) return true;
  const FoundJournal now = find_journal(transport_, file_, journals_);
  if (now.bytes != found_.bytes || now.state != found_.state) return false;
  if (now.state == FoundJournal::State::complete) return true;
  return is_untouched || reads.are_still_so();
}

void read_undisturbed(storage::Transport& transport, const std::shared_ptr<storage::File>& file,
                      base::FunctionRef<void(storage::File&, const FoundJournal&)> work) {
  constexpr int attempts = 20;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const JournalWatch watch(transport, *file);
    auto changes = changes_of(watch.found());
    RememberedReads seen(changes ? std::make_shared<ChangedFile>(file, std::move(changes)) : file);
    try {
      work(seen, watch.found());
      if (watch.is_still_so(seen)) return;
    } catch (const Error&) {
      if (watch.is_still_so(seen)) throw;
    }
  }
  throw Error(Code::io,
              fmt::format("{}: the file was read {} times, and each time another program changed it; read "
                          "it again when no program writes to it",
                          file->path(), attempts),
              {.path = file->path()});
}

}  // namespace lq::io
