// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A physical file as opened by a process for its data: over a stdio stream, which can be given to the caller and used
// there in between, or over a File. Positions are offsets in the physical file; errors are those of module storage.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "multifile/mode.hpp"
#include "storage/transport.hpp"

namespace lq::multifile {

class Channel {
 public:
  Channel() = default;
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  virtual const std::string& path() const noexcept = 0;
  virtual void write_at(std::uint64_t offset, base::Bytes bytes) = 0;
  // Shorter at the end of the file.
  virtual std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) = 0;
  // Passes buffered data to the system.
  virtual void flush() = 0;
  // Reports errors of flush and close; the destructor closes silently.
  virtual void close() = 0;

  // The stream, from now on shared with the caller; nullptr without one.
  virtual FILE* share_stream() { return nullptr; }
  // -1 if there is a stream.
  virtual int descriptor() const noexcept { return -1; }
  // True if others may move the stream, so that its position must be queried, and left at the cursor.
  virtual bool is_shared() const noexcept { return false; }
  virtual std::uint64_t tell() { return 0; }
  virtual void seek(std::uint64_t) {}
  // Another stream over the same open file, which replaces the own one; nullptr: none any longer. false: no streams
  // here.
  virtual bool use_second_stream(FILE*) { return false; }
  // The program has closed the stream.
  virtual bool forget_stream() { return false; }
  // A buffer of that many bytes. false: no streams here.
  virtual bool set_buffer(std::size_t) { return false; }
};

// How physical files are opened.
struct Opener {
  storage::Transport* transport = &storage::posix();
  Access access = Access::descriptors;
  bool syncs = false;            // before closing written files, for other clients
  std::size_t buffer_bytes = 0;  // for writes; 0: stdio's default, none for descriptors

  // An existing file. For stdio, `transport` is not used.
  std::unique_ptr<Channel> open(const std::string& path, Direction direction) const;
  // The same with the access that a mode requests and, in files with such blocks, its buffer.
  Opener with(const Mode& mode, std::int32_t block_size = 0) const;
  // An empty file of that name: a new one, or an existing one truncated.
  std::unique_ptr<storage::File> create(const std::string& path) const;
};

}  // namespace lq::multifile
