// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file as bytes. A Transport opens, renames and removes; a File reads and writes at positions. Errors are
// lq::Error with path and offset; nothing here knows formats, reorders or inspects data. Signals are left alone:
// a process under a file size limit (RLIMIT_FSIZE) must ignore SIGXFSZ to get Error(no_space) instead of its death.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"

namespace lq::transport {

class File : public base::ByteSource {
 public:
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
struct Unit {
  std::uint64_t bytes = 4096;  // a page, block or stripe
  bool single_owner = false;   // or bytes get lost; else it is only slow
  bool reserve_first = false;  // new files are written faster where storage was taken before
  bool one_writer = false;     // at a time in each file: others wait
};

enum class PathKind { absent, file, directory, other };

class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::unique_ptr<File> open_read(const std::string& path) = 0;     // regular files only
  virtual std::unique_ptr<File> open_write(const std::string& path) = 0;    // an existing file, for writing and reading
  virtual std::unique_ptr<File> create(const std::string& path) = 0;        // must not exist
  virtual void rename(const std::string& from, const std::string& to) = 0;  // replaces `to` atomically
  // Gives `from` the name `to` only if there is no `to`; Error(exists) else.
  virtual void publish(const std::string& from, const std::string& to) = 0;
  virtual void remove(const std::string& path) = 0;
  virtual void sync_directory(const std::string& path_of_file) = 0;  // the directory that holds it
  virtual PathKind kind(const std::string& path) = 0;
  // Bytes that a new file beside `path` may take, where the file system says.
  virtual std::optional<std::uint64_t> free_space(const std::string& path) = 0;
  // Of files in the folder of `path`; never fails.
  virtual Unit unit(const std::string& path) = 0;
  // Permissions of an existing file are given to the new one that will replace it.
  virtual void copy_permissions(const std::string& from, const std::string& to) = 0;
};

// The POSIX file system.
Transport& posix();

// Files in memory, shared by all who hold the transport; safe for use from several threads.
std::shared_ptr<Transport> make_memory();

}  // namespace lq::transport
