// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A new file that gets its name only when it is complete: temporary name, write, sync, rename, directory sync.
// All calls are collective unless said otherwise. An abandoned file is removed and an existing one stays.
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
  // Local. Before create(): what is made of the file `like` is for nobody who may not read that one.
  void keep_private(const std::string& like) { like_ = like; }
  // Local. Before create(): it replaces no file that somebody appends to (io), and nobody begins to before it has the
  // name.
  void exclude_appenders() { excludes_appenders_ = true; }
  // Checks the target (exists, is a directory, ...) and the free space for `bytes`, then creates the temporary file,
  // which the root opens, with stripes for the given number of bytes.
  void create(bool overwrite, std::uint64_t bytes, const StripeRequest& request = {});
  // The same in two local steps, for who tells more in the same message: at the root, and, with what append_identity()
  // put into the message there, on the others.
  void create_at_root(bool overwrite, std::uint64_t bytes, const StripeRequest& request = {});
  void append_identity(std::vector<std::byte>& message) const;
  void take_identity(base::Bytes& message);
  // Local. Whether there was a file of this name when it was created.
  bool replaces() const noexcept { return replaces_; }
  // Local. The stripes that the file got, and what is known of where it lies: as the root sees it.
  const Stripes& stripes() const noexcept { return stripes_; }
  const storage::StorageTraits& root_unit() const noexcept { return unit_; }
  // Local. What a writer of it should know: the root asks the new file, the others its folder.
  storage::StorageTraits unit() const;
  // Local. client_of() it (owners.hpp). `seen`: unit().
  std::uint64_t client(const storage::StorageTraits& seen) const;
  storage::Seen seen() const;
  // Collective. Who may write which block of it.
  storage::Owners owners() const;
  // Part of something larger, which is there as `temporary_path` and stays when it is abandoned: its owner names or
  // removes it. The root opens it; the other ranks open that file or none.
  void go_on(const std::string& temporary_path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  const std::string& temporary_path() const noexcept { return temporary_path_; }
  // Collective. From now on this rank writes, too, if `writes`.
  void open_for_writing(bool writes);
  // Local. The same, of this rank.
  void open_here();
  // Sets the size: a client that caches pages believes its own idea of it.
  void resize(std::uint64_t bytes);
  // The file has the given number of bytes: clients that have it open, and saw less of it grow, learn that before it is
  // closed.
  void tell_size(std::uint64_t bytes);
  // Local. Only on ranks that write (and on root).
  storage::File& file() const noexcept { return *file_; }
  // Local. Does `work` on the file; its errors name the file as the user did, not by its temporary name.
  void named(base::FunctionRef<void()> work) const;
  // Local, at the root. Throws no_space unless the file system can take that many bytes more after the first `offset`.
  void require_space(std::uint64_t offset, std::uint64_t bytes);
  // The root writes bytes at known places, which `make` returns there.
  void write(base::FunctionRef<std::vector<format::Literal>()> make);
  // Local. The same on this rank, which has opened it.
  void write_here(const format::Literal& literal) const;
  // Local. What taking storage before the data has cost here since the last question.
  double take_reserve_seconds() noexcept { return std::exchange(reserve_seconds_, 0); }
  // What was written so far has reached the disk.
  void sync(Sync sync);
  // Nothing is written any more: sync and close on all ranks.
  void finish(Sync sync);
  // Local. The same on this rank.
  void finish_here(Sync sync);
  // Gives the file its name; after finish(). Returns how long that took.
  double publish(Sync sync);
  // Gives all files of a set their names, in one step for all who read them (replacement.hpp); after finish() of each.
  // The first one is the one that others are found through.
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
  void give_name();
  void take_over();  // of what is to be replaced, its lock
  void sync_name();
  void discard() noexcept;

  storage::Transport& transport_;
  Communicator communicator_;
  std::string path_;
  std::string temporary_path_;
  std::string like_;
  bool overwrite_ = false;
  bool replaces_ = false;
  bool excludes_appenders_ = false;
  std::optional<storage::WriterLock> replaced_;  // at the root
  double reserve_seconds_ = 0;
  bool created_ = false;                       // the temporary file exists and is ours to remove
  int process_ = 0;                            // that created it: a forked child leaves it alone
  std::optional<storage::Identity> identity_;  // of the file it created
  storage::StorageTraits unit_;                // of that file, as the root sees it
  Stripes stripes_;                            // as above
  std::unique_ptr<storage::File> file_;
};

// Local. Refuses a path that a new file cannot take: an existing file (unless `overwrite`), a directory, a device.
// Whether there is a file that will be replaced.
bool require_target(storage::Transport& transport, const std::string& path, bool overwrite);
// Local. Throws no_space unless the file system can take `bytes` bytes for a new file of that path.
void require_space(storage::Transport& transport, const std::string& path, std::uint64_t bytes);

// Temporary files that an interrupted writer left behind (base/path.hpp).

// Paths, in order of name; empty where the directory cannot be read.
LQ_INNER std::vector<std::string> leftovers_of(const std::string& path);
// Those that the file does not need. Of files that belong together some may not have their names yet: they are part of
// it.
LQ_INNER std::vector<std::string> unneeded_leftovers(const Catalog& catalog);
// Is this itself the name of a temporary file?
LQ_INNER bool is_leftover(std::string_view path);

}  // namespace lq::io
