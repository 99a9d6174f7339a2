// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file as bytes. A Transport opens, renames and removes; a File reads and writes at positions. Errors are lq::Error
// with path and offset; this layer is independent of formats and does not reorder or inspect data. Signal handlers are
// not changed: under a file size limit (RLIMIT_FSIZE) a process must ignore SIGXFSZ to get Error(no_space) instead of
// dying.
//
// Threads: a Transport may be called by any thread at any time. Several threads may read and write a File at different
// bytes concurrently; close() is the last call, made when no other is in progress.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <limequat/error.hpp>
#include <limequat/file_system.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::storage {

// How ranks that reach a file by one mount should write to it: concurrently; one at a time, because the kernel locks
// the file while FUSE answers; or by one of them for all, which is then faster even for large amounts of data.
enum class ClientWrites { at_once, in_turn, best_by_one };

// Identifies the file that a name or an open file refers to, and its state.
struct Identity {
  std::uint64_t device = 0;   // number of the mount on this node
  std::uint64_t inode = 0;    // may be reused once the file is gone
  std::int64_t created = 0;   // nanoseconds; 0: not reported
  std::uint64_t bytes = 0;    // its size
  std::int64_t modified = 0;  // nanoseconds
};

// True if two names or open files of one node are the same file, in whatever state.
bool is_same_file(const Identity& a, const Identity& b) noexcept;
// The same for two nodes, each of which has its own mount numbers.
bool is_same_across_nodes(const Identity& a, const Identity& b) noexcept;
// True if it is the same file and was not written to in between.
LQ_INNER bool is_unchanged(const Identity& before, const Identity& now) noexcept;

class File : public base::ByteSource {
 public:
  // Any thread.
  virtual Identity identity() const = 0;
  // The state when it was opened, if known, which saves a request to servers; else the current one.
  virtual Identity identity_when_opened() const { return identity(); }
  // True if concurrent reads of threads are serialised, so that one thread that reads in order is better.
  virtual bool reads_serially() const noexcept { return false; }
  // Writes all of `bytes`, or throws an Error: no_space, io, ...
  virtual void write_at(std::uint64_t offset, base::Bytes bytes) = 0;
  virtual void resize(std::uint64_t bytes) = 0;
  // Allocates storage for these bytes without changing the file's size; no_space if there is not enough. Does nothing
  // if the file system does not support it.
  virtual void reserve(std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual void sync() = 0;
  // Reports what close reports (quota, late write errors); the destructor closes silently.
  virtual void close() = 0;
};

// The unit that two writers of a file must not share, and other facts that matter for writing new files.
struct StorageTraits {
  std::uint64_t bytes = 4096;  // a page, block or stripe
  bool single_owner = false;   // sharing loses bytes; else it is only slow
  bool reserve_first = false;  // new files are written faster after storage was reserved
  bool one_writer = false;     // at a time in each file: others wait
  storage::ClientWrites client_writes = storage::ClientWrites::at_once;
  bool reads_in_order = false;            // a thread that reads an open file alone is faster than several
  std::uint64_t call_bytes = 0;           // call size with which servers are fast, in both directions; 0: any
  std::uint64_t read_bytes = 0;           // minimum size of a read if possible, because each is a request; 0: any
  std::uint64_t targets = 0;              // servers that store a file and for which its writers wait; 0: unknown
  std::uint64_t device = 0;               // number of the mount on this node; 0: unknown
  std::array<char, 32> file_system = {};  // its name, FileSystem::name, with NULs after it
};

// Files of other transports have no file system.
inline bool lies_on_servers(const StorageTraits& unit) noexcept {
  return !unit.one_writer && unit.file_system.front() != '\0';
}

// The stripes of a new file.
struct Striping {
  Stripes stripes = {};
  StorageTraits unit = {};
};

enum class PathKind { absent, file, directory, dangling_link, other };

// Facts about a file that is to be created.
struct Creation {
  // Only its owner may open it before copy_permissions(), because it replaces a file that others may not be allowed to
  // read.
  bool is_private = false;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::unique_ptr<File> open_read(const std::string& path) = 0;   // regular files only
  virtual std::unique_ptr<File> open_write(const std::string& path) = 0;  // an existing file, for writing and reading
  // Must not exist.
  virtual std::unique_ptr<File> create(const std::string& path, const Creation& creation = {}) = 0;
  virtual void rename(const std::string& from, const std::string& to) = 0;  // replaces `to` atomically
  // Gives `from` the name `to` only if there is no `to`; Error(exists) else.
  virtual void publish(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void sync_directory(const std::string& path_of_file) = 0;  // the directory of the file
  virtual void make_directory(const std::string& path) = 0;          // including parents; no error if it exists
  virtual PathKind kind(const std::string& path) = 0;
  // Identity of the name itself, which may be a link. not_found.
  virtual Identity identity(const std::string& path) = 0;
  // Bytes available to a new file next to `path`, if the file system reports it.
  virtual std::optional<std::uint64_t> free_space(const std::string& path) = 0;
  // Traits of files in the folder of `path`; never fails.
  virtual StorageTraits unit(const std::string& path) = 0;
  // Sets stripes at the empty new file `path` for a file of the given number of bytes, if supported; never fails.
  // `spare`: a free name next to it. Also returns the traits of the file, so that the file system is queried only once.
  // With stripes.is_set(), `path` may be another file afterwards, and open files of that name must be opened again.
  virtual Striping set_stripes(const std::string& path, const std::string&, std::uint64_t, const StripeRequest&) {
    return {{}, unit(path)};
  }
  // Gives the access rights of an existing file to the new one that will replace it: owner, group, mode and access
  // control list. No user or group gains access: if the group cannot be kept, its rights are dropped.
  virtual void copy_permissions(const std::string& from, const std::string& to) = 0;
  // The same for a copy of `from`: in a folder that sets the group of new files (set-gid) the copy keeps that group.
  virtual void give_permissions(const std::string& from, const std::string& to) { copy_permissions(from, to); }
  // If other users could not read the source of the new file `to`, they cannot read `to` either.
  virtual void keep_private(const std::string&, const std::string&) {}
  // Sets the modification time, as in Identity::modified.
  virtual void set_modified(const std::string& path, std::int64_t nanoseconds) = 0;
};

// The POSIX file system.
Transport& posix();

// The transport of a path: the one mounted for its longest prefix, else the POSIX file system. Any thread.
LQ_INNER Transport& resolve(const std::string& path);

// While it exists, paths that begin with `beginning` are files of `transport`, which receives whole paths and outlives
// all files opened through it. wrong_state: this prefix is mounted already.
class Mount {
 public:
  Mount(std::string beginning, Transport& transport);
  ~Mount();
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

 private:
  std::string beginning_;
};

// Files in memory, shared by all owners of the transport; thread-safe.
std::shared_ptr<Transport> make_memory();

// Positions in a file: their bounds, and errors that state them.

// Files end at 2^63 - 1: positions are signed in every system interface.
inline constexpr std::uint64_t largest_position = std::numeric_limits<std::int64_t>::max();

// Error(too_large) unless [offset, offset + bytes) is possible in a file. `verb`: "write", "read".
void require_position(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes);

// The system error for "VERB BYTES bytes at byte OFFSET", with path, offset and errno.
Error position_error(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes,
                     int system_errno);

// "PATH: cannot open: is a FIFO, expected a regular file"; Error(io). `what` with its article.
Error not_regular(const std::string& path, const std::string& what, int system_errno);

}  // namespace lq::storage
