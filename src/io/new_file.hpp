// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A new file is renamed to its name only when it is complete: temporary name, write, sync, rename, directory sync.
// All calls are collective unless stated otherwise. An abandoned file is removed and an existing one stays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>

#include "base/bytes.hpp"
#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "comm/comm.hpp"
#include "format/format.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"

namespace lq::io {

class LQ_INNER NewFile {
 public:
  // Local.
  NewFile(storage::Transport& transport, const Communicator& communicator, const std::string& path);
  // Local. Before create(): the new file is not readable by users who may not read the file `like`.
  void keep_private(const std::string& like) { like_ = like; }
  // Local. Before create(): it replaces no file with data of another kind (replaceable.hpp): `made` ("a text") has data
  // of the given kind, "" for none; nullopt: known when it is complete.
  void keep_other_data(std::string made, std::optional<std::string> kind) {
    made_ = std::move(made);
    kind_ = std::move(kind);
  }
  // Local. Before create(): it does not replace a file that is appended to (io), and no program can start to append
  // before it is renamed.
  void exclude_appenders() { excludes_appenders_ = true; }
  // Checks the target (exists, is a directory, ...) and the free space for `bytes`, then creates the temporary file,
  // which the root opens, with stripes for the given number of bytes.
  void create(bool overwrite, std::uint64_t bytes, const StripeRequest& request = {});
  // The same in two local steps, for callers that send more in the same message: at the root, and, with the output of
  // append_identity() from there, on the others.
  void create_at_root(bool overwrite, std::uint64_t bytes, const StripeRequest& request = {});
  void append_identity(std::vector<std::byte>& message) const;
  void take_identity(base::Bytes& message);
  // Local. True if a file of this name existed when it was created.
  bool replaces() const noexcept { return replaces_; }
  // Local. The stripes of the file, and facts about its location: as the root sees it.
  const Stripes& stripes() const noexcept { return stripes_; }
  const storage::StorageTraits& root_unit() const noexcept { return unit_; }
  // Local. What its writers need to know: the root queries the new file, the others its folder.
  storage::StorageTraits unit() const;
  // Local. client_of() the file (owners.hpp). `seen`: unit().
  std::uint64_t client(const storage::StorageTraits& seen) const;
  storage::LocalTraits seen() const;
  // Collective. The ranks that may write each block of it.
  storage::Owners owners() const;
  // Continues a part of something larger, which exists as `temporary_path` and stays if abandoned: its owner renames
  // or removes it. The root opens it; the other ranks open that file or none.
  void go_on(const std::string& temporary_path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::string& temporary_path() const noexcept { return temporary_path_; }
  // Collective. From now on this rank also writes, if `writes`.
  void open_for_writing(bool writes);
  // Local. The same for this rank alone.
  void open_here();
  // Sets the size: a client that caches pages otherwise uses its own idea of it.
  void resize(std::uint64_t bytes);
  // The file has the given number of bytes: informs clients that have it open and saw less of it grow, before it is
  // closed.
  void tell_size(std::uint64_t bytes);
  // Local. Only on ranks that write (and on root).
  storage::File& file() const noexcept { return *file_; }
  // Local. Runs `work` on the file; its errors use the user's name for the file, not the temporary name.
  void named(base::FunctionRef<void()> work) const;
  // Local, at the root. Throws no_space unless the file system has space for that many more bytes after the first
  void require_space(std::uint64_t offset, std::uint64_t bytes);
  // The root writes bytes at the given places, which `make` returns there.
  void write(base::FunctionRef<std::vector<format::Literal>()> make);
  // Local. The same on this rank, which has the file open.
  void write_here(const format::Literal& literal) const;
  // Local. Seconds spent here on reserving storage since the last call.
  double take_reserve_seconds() noexcept { return std::exchange(reserve_seconds_, 0); }
  // Everything written so far reaches the disk.
  void sync(Sync sync);
  // All writes are done: sync and close on all ranks.
  void finish(Sync sync);
  // Local. The same on this rank.
  void finish_here(Sync sync);
  // Renames the file to its name; after finish(). Subfiles of a set that it replaces are removed afterwards. Returns
  // the seconds.
  double publish(Sync sync);
  // Renames all files of a set, in one step for all readers (replacement.hpp); after finish() of each.
  // Readers find the others through the first one.
  static double publish_set(const std::vector<std::unique_ptr<NewFile>>& files, Sync sync);

 private:
  void keep_private();                                                                            // at the root
  void make_temporary(std::uint64_t bytes, const StripeRequest& request);                         // at the root
  void set_stripes(const std::string& spare, std::uint64_t bytes, const StripeRequest& request);  // at the root
  void open_ours();
  void require_ours(bool is_ours) const;
  void reserve(std::uint64_t offset, std::uint64_t bytes);  // at the root
  // At the root.
  void prepare_for_name(Sync sync);
  void require_replaceable() const;
  void give_name();
  void take_over();  // the lock of the file to replace
  void sync_name();
  void discard() noexcept;

  storage::Transport& transport_;
  Communicator communicator_;
  std::string path_;
  std::string temporary_path_;
  std::string like_;
  std::string made_;  // empty: it may replace any file
  std::optional<std::string> kind_;
  bool overwrite_ = false;
  bool replaces_ = false;
  bool excludes_appenders_ = false;
  std::optional<storage::WriterLock> replaced_;  // at the root
  double reserve_seconds_ = 0;
  bool created_ = false;                       // the temporary file exists and must be removed
  int process_ = 0;                            // the process that created it: a forked child does not touch it
  std::optional<storage::Identity> identity_;  // of the file it created
  storage::StorageTraits unit_;                // of that file, as the root sees it
  Stripes stripes_;                            // as above
  std::unique_ptr<storage::File> file_;
};

// Local. Refuses a path that a new file cannot have: an existing file (unless `overwrite`), a directory, a device.
// Returns true if a file will be replaced.
bool require_target(storage::Transport& transport, const std::string& path, bool overwrite);
// Local. Throws no_space unless the file system has space for a new file of `bytes` bytes at that path.
void require_space(storage::Transport& transport, const std::string& path, std::uint64_t bytes);

// Temporary files that an interrupted writer left (base/path.hpp).

// Paths, sorted by name; empty if the directory cannot be read.
LQ_INNER std::vector<std::string> leftovers_of(const std::string& path);
// Leftovers that the file does not need. In a set, files that do not have their names yet
// are needed.
LQ_INNER std::vector<std::string> unneeded_leftovers(const Catalog& catalog);
// True if this is itself the name of a temporary file.
LQ_INNER bool is_leftover(std::string_view path);

}  // namespace lq::io
