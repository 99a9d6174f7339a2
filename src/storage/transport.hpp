// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file as bytes. A Transport opens, renames and removes; a File reads and writes at positions. Errors are
// lq::Error with path and offset; nothing here knows formats, reorders or inspects data. Signals are left alone:
// a process under a file size limit (RLIMIT_FSIZE) must ignore SIGXFSZ to get Error(no_space) instead of its death.
//
// Threads: a Transport may be called by any thread at any time. A File may be read and written by several threads at
// once, at different bytes; close() is the last call, made when no other is under way.
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

// How ranks that reach a file by one mount write to it: side by side; one after the other, for the kernel holds the
// file while FUSE answers; so, and slower than one of them for all, even where each has much.
enum class ClientWrites { at_once, in_turn, best_by_one };

// Which file stands behind a name or an open file, and in which state it is.
struct Identity {
  std::uint64_t device = 0;   // as this node numbers its mounts
  std::uint64_t inode = 0;    // of a file that is gone, the number may be given to another one
  std::int64_t created = 0;   // nanoseconds; 0: the file system does not say
  std::uint64_t bytes = 0;    // its size
  std::int64_t modified = 0;  // nanoseconds
};

// Whether two names or open files of one node are the same file, in whatever state.
bool is_same_file(const Identity& a, const Identity& b) noexcept;
// The same for two nodes, of which each numbers its mounts itself.
bool is_same_across_nodes(const Identity& a, const Identity& b) noexcept;
// Whether it is the same file and nothing was written to it in between.
LQ_INNER bool is_unchanged(const Identity& before, const Identity& now) noexcept;

class File : public base::ByteSource {
 public:
  // Any thread.
  virtual Identity identity() const = 0;
  // As it was when it was opened, where opening has told, which spares a question to servers; else as it is.
  virtual Identity identity_when_opened() const { return identity(); }
  // Whether threads that read at once wait for each other, so that one that reads in order is better.
  virtual bool reads_serially() const noexcept { return false; }
  // All of `bytes`, or an Error: no_space, io, ...
  virtual void write_at(std::uint64_t offset, base::Bytes bytes) = 0;
  virtual void resize(std::uint64_t bytes) = 0;
  // Takes storage for these bytes without changing the file's size; no_space where there is not enough. Does nothing
  // where the file system cannot.
  virtual void reserve(std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual void sync() = 0;
  // Reports what close reports (quota, late write errors); the destructor closes silently.
  virtual void close() = 0;
};

// What two writers of a file must not share, and what else a writer of new files should know.
struct StorageTraits {
  std::uint64_t bytes = 4096;  // a page, block or stripe
  bool single_owner = false;   // or bytes get lost; else it is only slow
  bool reserve_first = false;  // new files are written faster where storage was taken before
  bool one_writer = false;     // at a time in each file: others wait
  storage::ClientWrites client_writes = storage::ClientWrites::at_once;
  bool reads_in_order = false;   // a thread that reads an open file alone is faster than several
  std::uint64_t call_bytes = 0;  // of a call that servers are fast with, in both directions; 0: any
  std::uint64_t read_bytes = 0;  // that one read should fetch where there are so many, for each is a request; 0: any
  std::uint64_t targets = 0;     // servers that the bytes of a file lie on, and that its writers wait for; 0: not known
  std::uint64_t device = 0;      // of the mount, as this node numbers them; 0: not known
  std::array<char, 32> file_system = {};  // its name, FileSystem::name, with NULs after it
};

// Files elsewhere have no file system.
inline bool lies_on_servers(const StorageTraits& unit) noexcept {
  return !unit.one_writer && unit.file_system.front() != '\0';
}

// How the bytes of a new file lie.
struct Striping {
  Stripes stripes = {};
  StorageTraits unit = {};
};

enum class PathKind { absent, file, directory, dangling_link, other };

// What is known of a file that is to be created.
struct Creation {
  // Nobody but its owner may open it before copy_permissions(): it replaces a file that others may not be allowed to
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
  virtual void sync_directory(const std::string& path_of_file) = 0;  // the directory that holds it
  virtual void make_directory(const std::string& path) = 0;          // with those above it; nothing where there is one
  virtual PathKind kind(const std::string& path) = 0;
  // Of what has this name itself, which may be a link. not_found.
  virtual Identity identity(const std::string& path) = 0;
  // Bytes that a new file beside `path` may take, where the file system says.
  virtual std::optional<std::uint64_t> free_space(const std::string& path) = 0;
  // Of files in the folder of `path`; never fails.
  virtual StorageTraits unit(const std::string& path) = 0;
  // At the empty new file `path`: stripes for a file of the given number of bytes, where there are any; never fails.
  // `spare`: a free name next to it. Its unit is told with them, so that the file system is asked once. With
  // stripes.is_set(), `path` may be another file afterwards: whoever has it open opens it again.
  virtual Striping set_stripes(const std::string& path, const std::string&, std::uint64_t, const StripeRequest&) {
    return {{}, unit(path)};
  }
  // Access rights of an existing file are given to the new one that will replace it: owner, group, mode and access
  // control list. Nobody gets more than he had: where the group cannot be kept, its rights are dropped.
  virtual void copy_permissions(const std::string& from, const std::string& to) = 0;
  // The same for a copy of `from`: in a folder that gives its group to what is made in it (set-gid) it keeps that
  // group.
  virtual void give_permissions(const std::string& from, const std::string& to) { copy_permissions(from, to); }
  // What the new file `to` is made of others could not read: then they cannot read it either.
  virtual void keep_private(const std::string&, const std::string&) {}
  // When it was written to, as Identity::modified tells.
  virtual void set_modified(const std::string& path, std::int64_t nanoseconds) = 0;
};

// The POSIX file system.
Transport& posix();

// Where the file of a path is: in the transport that is mounted for the longest beginning of the path, else in the
// POSIX file system. Any thread.
LQ_INNER Transport& resolve(const std::string& path);

// As long as it lives, paths that begin with `beginning` are files of `transport`, which gets the whole paths and
// outlives whatever was opened. wrong_state: there is such a mount already.
class Mount {
 public:
  Mount(std::string beginning, Transport& transport);
  ~Mount();
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

 private:
  std::string beginning_;
};

// Files in memory, shared by all who hold the transport; safe for use from several threads.
std::shared_ptr<Transport> make_memory();

// Where in a file an operation works: the bounds of positions, and errors that tell them.

// Files end at 2^63 - 1: positions are signed in every system interface.
inline constexpr std::uint64_t largest_position = std::numeric_limits<std::int64_t>::max();

// Error(too_large) unless [offset, offset + bytes) lies within what a file can hold. `verb`: "write", "read".
void require_position(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes);

// The error of the system for "VERB BYTES bytes at byte OFFSET", with path, offset and errno.
Error position_error(const std::string& path, const std::string& verb, std::uint64_t offset, std::uint64_t bytes,
                     int system_errno);

// "PATH: cannot open: is a FIFO, expected a regular file"; Error(io). `what` with its article.
Error not_regular(const std::string& path, const std::string& what, int system_errno);

}  // namespace lq::storage
