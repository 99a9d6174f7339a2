// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Who may write which block of a file that several ranks write, and who sets its size: one answer for every writer.
//
// Clients of some file systems keep whole blocks in caches that do not know of each other, and send whole blocks. Two
// of them in one block lose each other's bytes without an error. Each also trusts its own idea of the size of a file
// that it knows, so the root sets the size before another client opens the file, and every writer syncs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <limequat/error.hpp>
#include <limequat/options.hpp>

#include "base/function_ref.hpp"
#include "base/inner.hpp"
#include "comm/comm.hpp"
#include "storage/transport.hpp"

namespace lq::storage {

// Local. Tells the mounts of this node apart by which ranks reach files in `folder`: each is a client with caches of
// its own. 0: not known. `seen`: what this rank sees of a file there.
std::uint64_t client_of(storage::Transport& transport, const std::string& folder, const storage::StorageTraits& seen);

// Local. A client's number combined with that of this host, for groups that do not know nodes.
std::uint64_t on_this_host(std::uint64_t client);

// What the ranks see of a file, and their clients, as terms of an agreement.
struct SeenByAll {
  static constexpr std::size_t terms = 4;
  using Terms = std::span<comm::Term, terms>;
  // Local. What this rank sees.
  static void tell(Terms all, const storage::StorageTraits& seen, std::uint64_t client) noexcept;
  // Local. `seen` with the strictest view of all ranks: a server may see its disk, the others the network.
  static storage::StorageTraits strictest(std::span<const comm::Term, terms> all, storage::StorageTraits seen) noexcept;
  // Local. All ranks reach the file through one mount, if they are on one node.
  static bool have_one_client(std::span<const comm::Term, terms> all) noexcept;
};

struct Owners {
  storage::StorageTraits unit;  // strictest_of()
  bool are_one_client = true;

  bool have_incoherent_caches() const noexcept { return unit.single_owner && !are_one_client; }
  // How many of `ranks` ranks, the first ones, may write pieces that begin at multiples of the given number of bytes:
  // one alone where pieces of two clients could meet in a block. 1: pieces that begin anywhere.
  std::uint64_t writers(int ranks, std::uint64_t multiple) const noexcept;
  // What other clients wrote is seen by all when it has been synced, whatever the user waits for.
  Sync sync(Sync asked) const noexcept { return have_incoherent_caches() && asked == Sync::none ? Sync::data : asked; }
};

// Collective. `look` returns what this rank sees of a file, and its client.
struct Seen {
  storage::StorageTraits unit;
  std::uint64_t client = 0;
};
Owners owners_of(comm::Comm& comm, base::FunctionRef<Seen()> look);
// Collective. The same for files beside `path`.
Owners owners_beside(comm::Comm& comm, storage::Transport& transport, const std::string& path);
// Local. The file has the given number of bytes: a client that has it open, and saw less of it grow, learns that.
void tell_size(storage::File& file, std::uint64_t bytes);

// One program at a time appends to a file: whoever does holds this lock. The system takes it back when the program
// ends, however that happens, so that nothing is left behind. Readers are not kept away, nor are programs that lock
// files whole (HDF5). It is the lock of a file and not of a name: whoever goes on with a file asks it whether the name
// still means that file.
class LQ_INNER WriterLock {
 public:
  // io: another program holds it. Nothing is locked where there is no such file, or the file system knows no locks.
  explicit WriterLock(const std::string& path);
  // The same; where another program holds it, this is thrown.
  WriterLock(const std::string& path, const Error& refusal);
  ~WriterLock();
  // Whether there is a lock: the file was there.
  bool is_held() const noexcept { return descriptor_ >= 0; }
  // Whether it keeps others away: the file system knows locks.
  bool excludes_others() const noexcept { return excludes_others_; }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  // replaced_error(): this is another file than the one that was locked, if there was one.
  void require_same(const File& file) const;
  // Whether it is the file of this name that was locked.
  bool is_of(const std::string& path) const noexcept;

 private:
  int descriptor_ = -1;  // kept where the file system knows no locks, too: it tells which file it is
  int process_ = 0;      // that took it: a forked child has no say in it
  bool excludes_others_ = false;
};

// Local. Whether somebody holds the lock of this file. Nobody is kept away by the question.
LQ_INNER bool has_writer(const std::string& path) noexcept;

// io: a file that is appended to has given its name to another one.
Error replaced_error(const std::string& path);

// The lock of the record beside an unfinished copy or set that is to be called `path` (base/path.hpp): it is
// held while that is made, or put away. wrong_state: another program holds it.
WriterLock lock_of_copy(const std::string& path);

}  // namespace lq::storage
