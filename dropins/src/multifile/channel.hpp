// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A physical file as a process has it open for its data: over a stdio stream, which can be handed out and used by
// others in between, or over a File. Positions are offsets in the physical file; errors are those of room storage.
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
  // As many bytes as there are.
  virtual std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) = 0;
  // What was buffered goes to the system.
  virtual void flush() = 0;
  // Reports what flush and close report; the destructor closes silently.
  virtual void close() = 0;

  // The stream, from now on shared with the caller; nullptr without one.
  virtual FILE* share_stream() { return nullptr; }
  // -1 where there is a stream.
  virtual int descriptor() const noexcept { return -1; }
  // Whether others may move the stream, so that it is asked where it stands, and is left where the cursor stands.
  virtual bool is_shared() const noexcept { return false; }
  virtual std::uint64_t tell() { return 0; }
  virtual void seek(std::uint64_t) {}
  // Another stream over the same open file, which takes the place of our own; nullptr: none any more. false: no streams
  // here.
  virtual bool use_second_stream(FILE*) { return false; }
  // Another program has closed the stream.
  virtual bool forget_stream() { return false; }
  // A buffer of that many bytes. false: no streams here.
  virtual bool set_buffer(std::size_t) { return false; }
};

// How physical files are opened.
struct Opener {
  storage::Transport* transport = &storage::posix();
  Access access = Access::descriptors;
  bool syncs = false;            // before files are closed that were written: other clients see it then
  std::size_t buffer_bytes = 0;  // in front of writes; 0: what stdio takes, none for descriptors

  // A file that exists. For stdio, `transport` is not asked.
  std::unique_ptr<Channel> open(const std::string& path, Direction direction) const;
  // The same with the access that a mode asks for, and in files of such blocks with its buffer.
  Opener with(const Mode& mode, std::int32_t block_size = 0) const;
  // An empty file of that name: a new one, or an old one truncated.
  std::unique_ptr<storage::File> create(const std::string& path) const;
};

}  // namespace lq::multifile
