// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank may write which block of a file that several ranks write, and which sets its size: one answer for every
// writer.
//
// Clients of some file systems cache and send whole blocks, without coherence between them. Two clients that write into
// one block lose each other's bytes without an error. Each also relies on its own view of the size of a known file, so
// the root sets the size before another client opens the file, and every writer syncs.
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

// Local. Distinguishes the mounts through which ranks of this node access files in `folder`: each is a client with its
// own caches. 0: unknown. `seen`: the traits that this rank sees of a file there.
std::uint64_t client_of(storage::Transport& transport, const std::string& folder, const storage::StorageTraits& seen);

// Local. A client's number combined with that of this host, for communicators without knowledge of nodes.
std::uint64_t on_this_host(std::uint64_t client);

// What the ranks see of a file, and their clients, as terms of an agreement.
struct CombinedTraits {
  static constexpr std::size_t terms = 4;
  using Terms = std::span<comm::Term, terms>;
  // Local. What this rank sees.
  static void tell(Terms all, const storage::StorageTraits& seen, std::uint64_t client) noexcept;
  // Local. `seen` with the strictest view of all ranks: a server may see its disk, the others the network.
  static storage::StorageTraits strictest(std::span<const comm::Term, terms> all, storage::StorageTraits seen) noexcept;
  // Local. If all ranks are on one node: they reach the file through one mount.
  static bool have_one_client(std::span<const comm::Term, terms> all) noexcept;
};

struct Owners {
  storage::StorageTraits unit;  // strictest_of()
  bool are_one_client = true;

  bool have_incoherent_caches() const noexcept { return unit.single_owner && !are_one_client; }
  // How many of the first `ranks` ranks may write pieces that begin at multiples of the given number of bytes: a single
  // one if pieces of two clients could meet in a block. multiple = 1: pieces begin anywhere.
  std::uint64_t writers(int ranks, std::uint64_t multiple) const noexcept;
  // Data written by other clients are visible to all only after a sync, whatever level the user requested.
  Sync sync(Sync asked) const noexcept { return have_incoherent_caches() && asked == Sync::none ? Sync::data : asked; }
};

// Collective. `look` returns what this rank sees of a file, and its client.
struct LocalTraits {
  storage::StorageTraits unit;
  std::uint64_t client = 0;
};
Owners owners_of(comm::Comm& comm, base::FunctionRef<LocalTraits()> look);
// Collective. The same for files in the folder of `path`.
Owners owners_in_folder(comm::Comm& comm, storage::Transport& transport, const std::string& path);
// Local. The file has the given number of bytes: informs a client that has it open and saw less of its growth.
void tell_size(storage::File& file, std::uint64_t bytes);

// Only one program at a time appends to a file: the one that holds this lock. The system releases the lock when the
// program ends for any reason, so nothing is left behind. Neither readers nor programs that lock whole files (HDF5) are
// blocked. The lock belongs to a file, not to a name: before continuing, a holder checks that the name still refers to
// that file.
class LQ_INNER WriterLock {
 public:
  // io: another program holds it. Nothing is locked if the file does not exist or the file system does not support
  // locks.
  explicit WriterLock(const std::string& path);
  // The same; throws `refusal` if another program holds it.
  WriterLock(const std::string& path, const Error& refusal);
  ~WriterLock();
  // True if the file existed when it was to be locked.
  bool is_held() const noexcept { return descriptor_ >= 0; }
  // True if it excludes other programs: the file system supports locks.
  bool excludes_others() const noexcept { return excludes_others_; }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  // replaced_error() if this is another file than the locked one; nothing if none was locked.
  void require_same(const File& file) const;
  // True if the name refers to the locked file.
  bool is_of(const std::string& path) const noexcept;

 private:
  int descriptor_ = -1;  // kept even if locks are not supported: it identifies the file
  int process_ = 0;      // the process that locked it; forked children must not release it
  bool excludes_others_ = false;
};

// Local. True if a program holds the lock of this file. The query blocks no other program.
LQ_INNER bool has_writer(const std::string& path) noexcept;

// io: the name of a file that is being appended to now refers to another one.
Error replaced_error(const std::string& path);

// The lock of the record next to an unfinished copy or set whose final name is `path` (base/path.hpp). It is held while
// the copy is made or removed. wrong_state: another program holds it.
WriterLock lock_of_copy(const std::string& path);

}  // namespace lq::storage
