// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are appended to in place, so that a kill at any moment leaves what was there or all that was appended. New
// bytes lie after the old end, where nobody looks. Bytes before it that change are first written to a journal beside
// the file, then to the file; then the journal is removed. All of it local. Whoever changes such a file holds its lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "format/format.hpp"
#include "storage/forwarding.hpp"
#include "storage/owners.hpp"

namespace lq::io {

// The journal of a file that is appended to, as bytes (docs/formats/journal.md): what the file was before, and, once
// all is known, which of its bytes change.

struct Journal {
  // Bytes of the file before that change. They lie within its old size; the pieces are in order and do not overlap.
  struct Piece {
    std::uint64_t offset = 0;
    std::vector<std::byte> before;
    std::vector<std::byte> after;  // as many
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  std::uint64_t bytes_before = 0;  // size of the file
  std::uint32_t start_crc = 0;     // CRC-32 of its first journal_start bytes
  bool is_complete = false;        // else nothing of what follows is known
  std::uint64_t bytes_after = 0;   // not less than before
  std::vector<Piece> pieces = {};
  friend bool operator==(const Journal&, const Journal&) = default;
};

inline constexpr std::uint64_t journal_start = 4096;
inline constexpr std::uint64_t largest_journal = 256 * base::mebi;

// The head alone where the journal is not complete.
std::vector<std::byte> encode_journal(const Journal& journal);
// Any bytes. Nothing: not even its head is there.
std::optional<Journal> decode_journal(base::Bytes bytes);

// "conf.h5" -> ".conf.h5.lq-journal", next to the file itself if this is the name of a link; a name that leaves no room
// for both is cut and told from others by its CRC-32. File systems that place a file by its name (GlusterFS) put a
// whole name's journal on the server of the file.
LQ_INNER std::string journal_path(const std::string& path);
// All names that a journal of it may have: that one first, then "conf.h5.lq-journal", as earlier versions called it,
// who took the name of a link for that of the file.
std::vector<std::string> journal_paths(const std::string& path);
inline constexpr std::string_view journal_ending = ".lq-journal";
// Whether the file's name cannot be read off that of its journal.
LQ_INNER bool has_cut_journal(const std::string& path);

// A file that is open or locked here has lost its name: to a server that is away, or to somebody who removed it. What
// `work` throws as not_found becomes io, with words about `path`.
LQ_INNER void while_held(const std::string& path, base::FunctionRef<void()> work);
// unsupported: the file has several names (hard links), and its journal would be found by one of them only.
LQ_INNER void require_one_name(const std::string& path);

struct FoundJournal {
  enum class State {
    absent,
    complete,     // the file is what the journal makes of it, however many of its bytes it has got
    interrupted,  // the file is as it was before; what lies after its old end is nothing
    foreign,      // it belongs to another file, or to another state of this one
  };
  State state = State::absent;
  Journal journal = {};
  std::vector<std::byte> bytes = {};  // of the journal
  std::string path = {};              // of the journal
};
// What lies next to a file.
FoundJournal find_journal(storage::Transport& transport, base::ByteSource& file);
// What is to be said of it; nothing where there is none.
std::optional<Finding> finding_of(const FoundJournal& found, const std::string& path);

// A file with other bytes in some places, or another end.
struct Changes {
  std::vector<format::Literal> patches = {};  // in the order they were made
  std::optional<std::uint64_t> end = {};      // bytes after it are not there
};
class ChangedFile final : public storage::ForwardingFile {
 public:
  ChangedFile(std::shared_ptr<File> inner, std::shared_ptr<const Changes> changes)
      : ForwardingFile(std::move(inner)), changes_(std::move(changes)) {}
  std::uint64_t size() const override;
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;

 private:
  std::shared_ptr<const Changes> changes_;
};
// What makes of the file what is to be read; nullptr: it is read as it is.
std::shared_ptr<const Changes> changes_of(const FoundJournal& found);
// wrong_state: there is a journal next to the file, so that its bytes by themselves are not what it holds.
void require_no_journal(storage::Transport& transport, const std::string& path);
// The file as its journal makes it, if there is one.
std::unique_ptr<storage::File> open_journaled(storage::Transport& transport, const std::string& path);

// What was left by an append that was interrupted: a complete journal is applied. Else the file gets its old end again.
// The journal is removed. The state it was in is returned.
LQ_INNER FoundJournal::State recover(storage::Transport& transport, const std::string& path, Sync sync,
                                     const storage::WriterLock& held);
// Before another file gets this name, which must not be taken for the one that a journal belongs to: what is there is
// recovered, or a journal without a file removed. io: somebody appends to the file. `held`: its lock, where this
// program has that already.
void settle_journal(storage::Transport& transport, const std::string& path, Sync sync,
                    const storage::WriterLock* held = nullptr);

// In which state an append has left its file: what the head of the next journal says of it (formats/journal.md 1).
struct FileState {
  std::uint64_t bytes = 0;
  std::uint32_t start_crc = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
FileState file_state(base::ByteSource& file);

// An append under way: first whatever was interrupted before is recovered, then there is a journal that says where
// the file ended. Unless it is committed, the file gets its old end again.
class LQ_INNER Appending {
 public:
  // `file`: the same, open for writing. `held`: its lock, until this object is gone. `left`: where a writer that goes
  // on keeps the state in which it last saw the file. io: it is another file than the one that is locked, or in another
  // state.
  Appending(storage::Transport& transport, storage::File& file, Sync sync, const storage::WriterLock& held,
            std::optional<FileState>* left = nullptr);
  ~Appending();
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

  std::uint64_t bytes_before() const noexcept { return journal_.bytes_before; }
  // What is after the old end goes to the file at once; the rest waits.
  void write(std::vector<format::Literal> literals);
  // The file as it will be.
  base::ByteSource& file_so_far();
  // What waits goes to the file, which has `bytes` bytes then. Whatever is written elsewhere was synced before. Once
  // the journal is complete, failures leave the new state to whoever opens the file next; the error says so.
  void commit(std::uint64_t bytes);
  // Local. Other ranks may write on: the journal stays, so that what they write is nothing until the next writer, who
  // recovers the file.
  void leave_to_next() noexcept;

 private:
  void require_left(const FileState& found) const;
  void require_unchanged();
  void complete_journal(std::uint64_t bytes);
  void apply();
  void give_up() noexcept;

  storage::Transport& transport_;
  storage::File& file_;
  std::string path_, journal_path_;
  Sync sync_;
  std::optional<FileState>* left_;
  Journal journal_;
  std::unique_ptr<storage::File> journal_file_;
  std::shared_ptr<Changes> waiting_ = std::make_shared<Changes>();
  std::unique_ptr<ChangedFile> so_far_;
  bool is_ours_ = false;  // the journal, to be removed
  int process_ = 0;       // that made it: a forked child leaves it alone
};

// Whether somebody who appends to a file was faster than who reads it, so that what was read may be a mixture.

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
