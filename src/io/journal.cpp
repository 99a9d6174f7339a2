// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/journal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/path.hpp"
#include "kernels/crc32.hpp"
#include "storage/forwarding.hpp"
#include "storage/publish.hpp"

namespace lq::io {

namespace {

using State = FoundJournal::State;

std::vector<std::byte> read_exactly(base::ByteSource& file, std::uint64_t offset, std::uint64_t bytes) {
  std::vector<std::byte> read(static_cast<std::size_t>(bytes));
  read.resize(file.read_at(offset, read));
  return read;
}

std::uint32_t start_crc(base::ByteSource& file, std::uint64_t bytes) {
  return kernels::crc32(0, read_exactly(file, 0, std::min(bytes, journal_start)));
}

// True while the journal is being applied: each byte is the old or the new one.
bool is_on_its_way(base::ByteSource& file, const Journal& journal) {
  return file.size() == journal.bytes_after && std::ranges::all_of(journal.pieces, [&](const Journal::Piece& piece) {
           const std::vector<std::byte> now = read_exactly(file, piece.offset, piece.before.size());
           if (now.size() != piece.before.size()) return false;
           for (std::size_t i = 0; i < now.size(); ++i) {
             if (now[i] != piece.before[i] && now[i] != piece.after[i]) return false;
           }
           return true;
         });
}

State state_of(base::ByteSource& file, const Journal& journal) {
  if (journal.is_complete) return is_on_its_way(file, journal) ? State::complete : State::foreign;
  const bool is_of_file =
      file.size() >= journal.bytes_before && start_crc(file, journal.bytes_before) == journal.start_crc;
  return is_of_file ? State::interrupted : State::foreign;
}

// Empty if it was removed in the meantime.
std::optional<std::vector<std::byte>> read_journal(storage::Transport& transport, const std::string& path) {
  if (transport.kind(path) != storage::PathKind::file) return {};
  try {
    const auto file = transport.open_read(path);
    if (file->size() > largest_journal) return std::vector<std::byte>();
    return read_exactly(*file, 0, file->size());
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return {};
  }
}

void remove_journal(storage::Transport& transport, const std::string& path, Sync sync) {
  transport.remove(path);
  if (sync != Sync::none) transport.sync_directory(path);
}

std::string older_journal(const std::string& path) { return path + std::string(journal_ending); }

std::string hidden_journal(const std::string& path) {
  if (!has_cut_journal(path)) return base::hidden_name(path, journal_ending);
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  return base::hidden_name(path, fmt::format(".{:08x}{}", kernels::crc32(0, base::as_bytes(name)), journal_ending));
}

// By the given name, which may be that of a link.
std::vector<std::string> journals_beside(const std::string& path) {
  return {hidden_journal(path), older_journal(path)};
}

// Those that exist.
std::vector<std::string> present(storage::Transport& transport, std::vector<std::string> journals) {
  std::erase_if(journals, [&](const std::string& path) { return transport.kind(path) != storage::PathKind::file; });
  return journals;
}

// There was no journal a moment ago.
std::unique_ptr<storage::File> create_journal(storage::Transport& transport, const std::string& path,
                                              const std::string& journal) {
  try {
    return transport.create(journal, {.is_private = true});
  } catch (const Error& error) {
    if (error.code() != Code::exists) throw;
    throw Error(Code::io,
                fmt::format("{}: {} appeared in the meantime: another program has begun to append to the file, or a "
                            "server of the file system was unavailable. Nothing was changed; repeat the call",
                            path, journal),
                {.path = path});
  }
}

// A second owner of the file that does not close it.
std::shared_ptr<storage::File> borrowed(storage::File& file) { return {std::shared_ptr<void>(), &file}; }

State recover_now(storage::Transport& transport, const std::string& path, Sync sync) {
  std::vector<std::string> journals = present(transport, journal_paths(path));
  if (journals.empty()) return State::absent;
  const auto file = transport.open_write(path);
  // A bit flip during reading must not make the file's own journal look foreign.
  storage::TwiceRead read_twice(transport);
  base::ReadTwice file_twice(*file);
  const FoundJournal found = find_journal(read_twice, file_twice);
  // A writer that was killed may not have synced it; it is needed if this call is interrupted.
  if (sync != Sync::none && (found.state == State::complete || found.state == State::interrupted)) {
    transport.open_write(found.path)->sync();
    transport.sync_directory(found.path);
  }
  if (found.state == State::complete) {
    for (const Journal::Piece& piece : found.journal.pieces) file->write_at(piece.offset, piece.after);
  } else if (found.state == State::interrupted) {
    file->resize(found.journal.bytes_before);
  }
  if (sync != Sync::none) file->sync();
  file->close();
  if (found.state == State::absent) return found.state;
  // The journal that belongs to the file is last: until then recovery can be repeated.
  std::stable_partition(journals.begin(), journals.end(),
                        [&](const std::string& journal) { return journal != found.path; });
  for (const std::string& journal : journals) remove_journal(transport, journal, sync);
  return found.state;
}

}  // namespace

FileState file_state(base::ByteSource& file) {
  const std::uint64_t bytes = file.size();
  return {bytes, start_crc(file, bytes)};
}

bool has_cut_journal(const std::string& path) {
  return base::hidden_name(path, journal_ending).size() < path.size() + 1 + journal_ending.size();
}

std::string journal_path(const std::string& path) { return hidden_journal(storage::own_name(path)); }

std::vector<std::string> journal_paths(const std::string& path) {
  const std::string own = storage::own_name(path);
  std::vector<std::string> paths = journals_beside(own);
  if (own != path) paths.push_back(older_journal(path));
  return paths;
}

void while_held(const std::string& path, base::FunctionRef<void()> work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    throw Error(Code::io,
                fmt::format("{}: {}. This program has the file open: a server of the file system does not answer, or "
                            "another program removed a file. The previous contents of the file are intact; repeat the "
                            "call when the file system shows it again",
                            path, error.what()),
                error.facts());
  }
}

void require_one_name(const std::string& path) {
  const std::uint64_t names = storage::names_of(path);
  if (names == 1) return;
  throw Error(
      Code::unsupported,
      fmt::format("{}: the file has {} names (hard links): a program that reads it by another name would not find its "
                  "journal, and would see half of the appended data. Append to a copy of it, or remove the other names",
                  path, names),
      {.path = path});
}

// The journal that belongs to the file, whatever others exist.
FoundJournal find_journal(storage::Transport& transport, base::ByteSource& file) {
  return find_journal(transport, file, journal_paths(file.path()));
}

FoundJournal find_journal(storage::Transport& transport, base::ByteSource& file,
                          const std::vector<std::string>& paths) {
  FoundJournal found;
  for (const std::string& path : paths) {
    auto bytes = read_journal(transport, path);
    if (!bytes) continue;
    FoundJournal one{.state = State::foreign, .bytes = std::move(*bytes), .path = path};
    if (std::optional<Journal> journal = decode_journal(one.bytes)) {
      one.state = state_of(file, *journal);
      one.journal = std::move(*journal);
    }
    if (one.state != State::foreign) return one;
    if (found.state == State::absent) found = std::move(one);
  }
  return found;
}

std::optional<Finding> finding_of(const FoundJournal& found, const std::string& path) {
  const std::string& journal = found.path;
  switch (found.state) {
    case State::absent:
      return {};
    case State::complete:
      return Finding{.severity = Severity::note,
                     .rule = "journal-complete",
                     .message = fmt::format("{} has changes that are not all in the file yet; readers apply "
                                            "them. `lq repair {}` writes them to the file",
                                            journal, path)};
    case State::interrupted:
      return Finding{.severity = Severity::warning,
                     .rule = "journal-interrupted",
                     .message = fmt::format(
                         "another program is appending to the file, or was interrupted: readers see the old contents"
                         ". If no program is appending, `lq repair {}` removes {} and the bytes after the end",
                         path, journal),
                     .offset = found.journal.bytes_before};
    case State::foreign:
      break;
  }
  return Finding{
      .severity = Severity::warning,
      .rule = "journal-foreign",
      .message = fmt::format(
          "journal {} does not match the current contents of the file and is ignored. Run `lq repair {}` to remove it",
          journal, path)};
}

std::uint64_t ChangedFile::size() const {
  if (changes_->end) return *changes_->end;
  std::uint64_t end = inner().size();
  for (const format::Literal& patch : changes_->patches) end = std::max(end, patch.offset + patch.bytes.size());
  return end;
}

std::size_t ChangedFile::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  const std::uint64_t end = size();
  if (offset >= end) return 0;
  const base::MutableBytes wanted =
      buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - offset)));
  const std::size_t read = inner().read_at(offset, wanted);
  std::fill(wanted.begin() + static_cast<std::ptrdiff_t>(read), wanted.end(), std::byte{0});
  for (const format::Literal& patch : changes_->patches) {
    const std::uint64_t begin = std::max(offset, patch.offset);
    const std::uint64_t stop = std::min<std::uint64_t>(offset + wanted.size(), patch.offset + patch.bytes.size());
    if (begin >= stop) continue;
    std::memcpy(wanted.data() + (begin - offset), patch.bytes.data() + (begin - patch.offset),
                static_cast<std::size_t>(stop - begin));
  }
  return wanted.size();
}

std::shared_ptr<const Changes> changes_of(const FoundJournal& found) {
  if (found.state == State::interrupted) {
    return std::make_shared<const Changes>(Changes{.end = found.journal.bytes_before});
  }
  if (found.state != State::complete) return nullptr;
  Changes changes{.end = found.journal.bytes_after};
  for (const Journal::Piece& piece : found.journal.pieces) changes.patches.push_back({0, piece.offset, piece.after});
  return std::make_shared<const Changes>(std::move(changes));
}

void require_no_journal(storage::Transport& transport, const std::string& path) {
  const std::vector<std::string> journals = present(transport, journal_paths(path));
  if (journals.empty()) return;
  throw Error(Code::wrong_state,
              fmt::format("{}: an append to it is running or was interrupted, because {} exists; wait until the append "
                          "has ended, or run \"lq repair {}\" first",
                          path, journals.front(), path),
              {.path = path});
}

std::unique_ptr<storage::File> open_journaled(storage::Transport& transport, const std::string& path) {
  std::unique_ptr<storage::File> file = transport.open_read(path);
  auto changes = changes_of(find_journal(transport, *file));
  if (!changes) return file;
  return std::make_unique<ChangedFile>(std::move(file), std::move(changes));
}

State recover(storage::Transport& transport, const std::string& path, Sync sync, const storage::WriterLock& held) {
  State state = State::absent;
  const auto work = [&] { state = recover_now(transport, path, sync); };
  if (held.is_held()) {
    while_held(path, work);
  } else {
    work();
  }
  return state;
}

void settle_journal(storage::Transport& transport, const std::string& path, Sync sync,
                    const storage::WriterLock* held) {
  const std::vector<std::string> journals = present(transport, journal_paths(path));
  const bool is_link = storage::own_name(path) != path;
  if (journals.empty() && !is_link) return;
  const bool is_file = transport.kind(path) == storage::PathKind::file;
  if (is_file && !journals.empty()) {
    if (held != nullptr && held->is_of(path)) {
      recover(transport, path, sync, *held);
    } else {
      recover(transport, path, sync, storage::WriterLock(path));
    }
  }
  if (is_file && !is_link) return;
  // The new file replaces the link, not its target.
  for (const std::string& journal : present(transport, journals_beside(path))) remove_journal(transport, journal, sync);
}

Appending::Appending(storage::Transport& transport, storage::File& file, Sync sync, const storage::WriterLock& held,
                     std::optional<FileState>* left)
    : transport_(transport),
      file_(file),
      path_(file.path()),
      journal_path_(journal_path(path_)),
      sync_(sync),
      left_(left) {
  held.require_same(file_);
  recover(transport_, path_, sync_, held);
  require_one_name(path_);
  const FileState before = file_state(file_);
  require_left(before);
  journal_.bytes_before = before.bytes;
  journal_.start_crc = before.start_crc;
  so_far_ = std::make_unique<ChangedFile>(borrowed(file_), waiting_);
  journal_file_ = create_journal(transport_, path_, journal_path_);
  is_ours_ = true;
  process_ = ::getpid();
  try {
    while_held(path_, [&] { transport_.copy_permissions(path_, journal_path_); });
    journal_file_->write_at(0, encode_journal(journal_));
    // Before the file grows: after a power failure only this shows where it ended.
    if (sync_ != Sync::none) {
      journal_file_->sync();
      transport_.sync_directory(journal_path_);
    }
  } catch (...) {
    give_up();
    throw;
  }
}

Appending::~Appending() { give_up(); }

void Appending::write(std::vector<format::Literal> literals) {
  for (format::Literal& literal : literals) {
    const std::uint64_t old_end = journal_.bytes_before, end = literal.offset + literal.bytes.size();
    if (end > old_end) {
      const std::uint64_t begin = std::max(old_end, literal.offset);
      file_.write_at(begin, base::Bytes(literal.bytes).subspan(static_cast<std::size_t>(begin - literal.offset)));
    }
    if (literal.offset >= old_end) continue;
    literal.bytes.resize(static_cast<std::size_t>(std::min(end, old_end) - literal.offset));
    waiting_->patches.push_back(std::move(literal));
  }
}

base::ByteSource& Appending::file_so_far() { return *so_far_; }

// Other programs such as cp may write to the file despite the lock. Its state is unknown until the next commit.
void Appending::require_left(const FileState& found) const {
  if (left_ == nullptr || !*left_) return;
  if (**left_ == found) return left_->reset();
  throw Error(Code::io,
              fmt::format("{}: another program has replaced its contents since this program wrote to it: it had {} "
                          "bytes and has {}, or different ones. Nothing was added. Let only one program write at a "
                          "time, or open the file again to append to its present contents",
                          path_, (*left_)->bytes, found.bytes),
              {.path = path_});
}

// Another writer takes the journal for a leftover.
void Appending::require_unchanged() {
  bool is_ours = false, is_named = false;
  try {
    while_held(path_, [&] {
      is_ours = is_same_file(journal_file_->identity(), transport_.identity(journal_path_));
      is_named = is_same_file(file_.identity(), transport_.open_read(path_)->identity());
    });
  } catch (const Error&) {
    is_ours_ = false;
    throw;
  }
  if (is_ours && start_crc(file_, journal_.bytes_before) == journal_.start_crc) {
    if (is_named) return;
    throw storage::replaced_error(path_);
  }
  is_ours_ = false;
  throw Error(Code::io,
              fmt::format("{}: another program changed the file during this append. The appended data are lost. Let "
                          "only one program write to the file, then repeat the append",
                          path_),
              {.path = path_});
}

void Appending::complete_journal(std::uint64_t bytes) {
  // Overlapping pieces are merged; the last write counts.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const format::Literal& patch : waiting_->patches)
    ranges.emplace_back(patch.offset, patch.offset + patch.bytes.size());
  std::ranges::sort(ranges);
  std::uint64_t total = 0;
  for (const auto& [begin, end] : ranges) {
    if (!journal_.pieces.empty() && journal_.pieces.back().offset + journal_.pieces.back().before.size() >= begin) {
      Journal::Piece& last = journal_.pieces.back();
      last.before.resize(static_cast<std::size_t>(std::max<std::uint64_t>(last.before.size(), end - last.offset)));
    } else {
      journal_.pieces.push_back({begin, std::vector<std::byte>(static_cast<std::size_t>(end - begin)), {}});
    }
  }
  for (Journal::Piece& piece : journal_.pieces) {
    total += piece.before.size();
    piece.after.resize(piece.before.size());
    if (file_.read_at(piece.offset, piece.before) != piece.before.size()) {
      throw Error(Code::io, path_ + ": the file became shorter while it was appended to", {.path = path_});
    }
    so_far_->read_at(piece.offset, piece.after);
  }
  if (total > largest_journal / 4) {
    throw Error(Code::too_large,
                fmt::format("{}: {} bytes of the file would change, more than a journal can hold; write a new file",
                            path_, total),
                {.path = path_});
  }
  std::erase_if(journal_.pieces, [](const Journal::Piece& piece) { return piece.before == piece.after; });
  journal_.bytes_after = bytes;
  journal_.is_complete = true;
  journal_file_->write_at(0, encode_journal(journal_));
  if (sync_ != Sync::none) journal_file_->sync();
}

void Appending::apply() {
  for (const Journal::Piece& piece : journal_.pieces) file_.write_at(piece.offset, piece.after);
  if (sync_ != Sync::none) file_.sync();
  journal_file_.reset();
  remove_journal(transport_, journal_path_, sync_);
}

void Appending::commit(std::uint64_t bytes) {
  require_unchanged();
  bytes = std::max(bytes, journal_.bytes_before);
  if (file_.size() != bytes) file_.resize(bytes);
  if (sync_ != Sync::none) file_.sync();
  std::optional<FileState> next;
  if (left_ != nullptr) next = FileState{bytes, start_crc(*so_far_, bytes)};
  complete_journal(bytes);
  is_ours_ = false;
  waiting_->patches.clear();
  try {
    while_held(path_, [&] { apply(); });
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}: the appended data are complete, but a part of them is still in {}: the next program "
                            "that opens the file for writing, or `lq repair`, moves it to its place: {}",
                            path_, journal_path_, error.what()),
                {.path = path_});
  }
  if (left_ != nullptr) *left_ = next;
}

void Appending::leave_to_next() noexcept { is_ours_ = false; }

void Appending::give_up() noexcept {
  journal_file_.reset();
  if (!is_ours_ || process_ != ::getpid()) return;
  is_ours_ = false;
  try {
    // In this order: for a file with its old end the journal has no effect.
    if (file_.size() > journal_.bytes_before) {
      file_.resize(journal_.bytes_before);
      if (sync_ != Sync::none) file_.sync();
    }
    transport_.remove(journal_path_);
  } catch (...) {
    // The next writer does it.
  }
}

}  // namespace lq::io
