// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Appending to files in place, such that a kill at any moment leaves the old contents or all that was appended. New
// bytes are after the old end, where readers do not look. Bytes before it that change are first written to a journal
// next to the file, then to the file; then the journal is removed. All local. A writer of such a file holds its lock.
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

// The journal of a file that is appended to, as bytes (docs/formats/journal.md): the previous state of the file and,
// once all is known, its changed bytes.

struct Journal {
  // Changed bytes of the previous contents, within the old size; the pieces are in order and do not overlap.
  struct Piece {
    std::uint64_t offset = 0;
    std::vector<std::byte> before;
    std::vector<std::byte> after;  // of the same length
    friend bool operator==(const Piece&, const Piece&) = default;
  };

  std::uint64_t bytes_before = 0;  // file size
  std::uint32_t start_crc = 0;     // CRC-32 of its first journal_start bytes
  bool is_complete = false;        // if false, the following members are not valid
  std::uint64_t bytes_after = 0;   // at least bytes_before
  std::vector<Piece> pieces = {};
  friend bool operator==(const Journal&, const Journal&) = default;
};

inline constexpr std::uint64_t journal_start = 4096;
inline constexpr std::uint64_t largest_journal = 256 * base::mebi;

// Only the head if the journal is not complete.
std::vector<std::byte> encode_journal(const Journal& journal);
// Any bytes. Empty: not even the head is present.
std::optional<Journal> decode_journal(base::Bytes bytes);

// "conf.h5" -> ".conf.h5.lq-journal", next to the file itself if this is the name of a link; a name too long for
// both is truncated and made unique by its CRC-32. File systems that place a file by its name (GlusterFS) put the
// journal of a name in full on the server of the file.
LQ_INNER std::string journal_path(const std::string& path);
// All names that its journal may have: the one above, then "conf.h5.lq-journal", used by earlier versions,
// which took the name of a link for that of the file.
std::vector<std::string> journal_paths(const std::string& path);
inline constexpr std::string_view journal_ending = ".lq-journal";
// True if the file's name cannot be derived from that of its journal.
LQ_INNER bool has_cut_journal(const std::string& path);

// A file that is open or locked here has lost its name: its server is unavailable, or another program removed it.
// not_found thrown by `work` becomes io, with a message about `path`.
LQ_INNER void while_held(const std::string& path, base::FunctionRef<void()> work);
// unsupported: the file has several names (hard links), and its journal would be found by only one of them.
LQ_INNER void require_one_name(const std::string& path);

struct FoundJournal {
  enum class State {
    absent,
    complete,     // the journal defines the contents, even if not all of its bytes are in the file yet
    interrupted,  // the previous contents are valid; bytes after the old end are ignored
    foreign,      // it belongs to another file, or to another state of this one
  };
  State state = State::absent;
  Journal journal = {};
  std::vector<std::byte> bytes = {};  // of the journal
  std::string path = {};              // of the journal
};
// The journal next to a file.
FoundJournal find_journal(storage::Transport& transport, base::ByteSource& file);
// The same under one of these names, from journal_paths().
FoundJournal find_journal(storage::Transport& transport, base::ByteSource& file, const std::vector<std::string>& paths);
// The finding about it; empty if there is none.
std::optional<Finding> finding_of(const FoundJournal& found, const std::string& path);

// A file with other bytes in some places, or another end.
struct Changes {
  std::vector<format::Literal> patches = {};  // in the order of the changes
  std::optional<std::uint64_t> end = {};      // bytes after it are hidden
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
// The changes to apply on reading; nullptr: the file is read unchanged.
std::shared_ptr<const Changes> changes_of(const FoundJournal& found);
// wrong_state: there is a journal next to the file, so its bytes alone are not its contents.
void require_no_journal(storage::Transport& transport, const std::string& path);
// The file with its journal applied, if there is one.
std::unique_ptr<storage::File> open_journaled(storage::Transport& transport, const std::string& path);

// Recovers an interrupted append: a complete journal is applied. Otherwise the file is cut to its old end.
// The journal is removed. Returns its previous state.
LQ_INNER FoundJournal::State recover(storage::Transport& transport, const std::string& path, Sync sync,
                                     const storage::WriterLock& held);
// Call it before another file gets this name, to which the journal must not be applied: an existing append is
// recovered, or a journal without a file removed. io: another program appends to the file. `held`: its lock, if this
// program holds it already.
void settle_journal(storage::Transport& transport, const std::string& path, Sync sync,
                    const storage::WriterLock* held = nullptr);

// The state of the file after an append, stored in the head of the next journal (formats/journal.md 1).
struct FileState {
  std::uint64_t bytes = 0;
  std::uint32_t start_crc = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
FileState file_state(base::ByteSource& file);

// An append in progress: first recovers an interrupted one, then creates a journal that records where
// the file ended. Unless it is committed, the file is cut to its old end.
class LQ_INNER Appending {
 public:
  // `file`: the same file, open for writing. `held`: its lock, during the lifetime of this object. `left`: the state
  // that a continuing writer last saw. io: the file is not the locked one, or is in another
  // state.
  Appending(storage::Transport& transport, storage::File& file, Sync sync, const storage::WriterLock& held,
            std::optional<FileState>* left = nullptr);
  ~Appending();
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

  std::uint64_t bytes_before() const noexcept { return journal_.bytes_before; }
  // Data after the old end are written immediately; the rest is deferred.
  void write(std::vector<format::Literal> literals);
  // The file with the deferred changes applied.
  base::ByteSource& file_so_far();
  // Writes the deferred changes to the file, which then has `bytes` bytes. Data written elsewhere were synced before.
  // Once the journal is complete, a failure leaves the new state to the next program; the error says so.
  void commit(std::uint64_t bytes);
  // Local. Other ranks may still write: the journal stays, so that their data are ignored until the next writer
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
  bool is_ours_ = false;  // the journal, to remove
  int process_ = 0;       // the process that created it: a forked child does not touch it
};

// Detects appends by another program during reading, which could have produced a mixture.

// A file that can check whether reading it again would give the same bytes.
class RememberedReads final : public storage::ForwardingFile {
 public:
  explicit RememberedReads(std::shared_ptr<File> inner) : ForwardingFile(std::move(inner)) {}
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Reads everything once more. Bytes appended in the meantime do not count.
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
  // Both must outlive it.
  JournalWatch(storage::Transport& transport, storage::File& file);

  const FoundJournal& found() const noexcept { return found_; }
  // True if all bytes read were in the file at one moment. Appends after the old end, and a journal that is applied
  // while readers follow it, do no harm. If everything reads the same before and after a moment at which the
  // journal was unchanged, all of it was in the file at that moment. Time stamps make the second reading unnecessary if
  // they can decide: states that follow each other within a tick of a file system's clock have the same one. They also
  // save the second look for a missing journal: a file system asks all of its servers for such a name.
  bool is_still_so(RememberedReads& reads) const;

 private:
  storage::Transport& transport_;
  storage::File& file_;
  storage::Identity before_;
  std::int64_t began_ = 0;             // nanoseconds, by the local clock
  std::vector<std::string> journals_;  // their possible names
  FoundJournal found_;
};

// Local. Runs `work` on a file with its journal applied, again if another program wrote to it during reading, so that
// the result may be a mixture; io: the file keeps changing. `work` receives the journal next to the file.
LQ_INNER void read_undisturbed(storage::Transport& transport, const std::shared_ptr<storage::File>& file,
                               base::FunctionRef<void(storage::File& file, const FoundJournal& journal)> work);

}  // namespace lq::io
