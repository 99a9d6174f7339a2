// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random access to bytes, which is all that a format needs to scan a file. Transports provide it for files,
// MemorySource for bytes in memory (tests, fuzzers).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/inner.hpp"

namespace lq::base {

class LQ_INNER ByteSource {
 public:
  virtual ~ByteSource() = default;
  // For messages.
  virtual const std::string& path() const noexcept = 0;
  virtual std::uint64_t size() const = 0;
  // Reads up to buffer.size() bytes, fewer only at the end; returns their number. Throws Error(io).
  virtual std::size_t read_at(std::uint64_t offset, MutableBytes buffer) = 0;
  // The first byte at or after `offset` that may not be in a hole of zeros; size() if there is none.
  virtual std::uint64_t next_data(std::uint64_t offset) const { return std::min(offset, size()); }
  // Hint that these bytes will be read soon, so that storage may prefetch them. Never fails.
  virtual void fetch_ahead(std::uint64_t, std::uint64_t) noexcept {}
  // Another file of the same storage, for formats of several files. Throws Error(not_found), also if the source has no
  // other files.
  virtual std::unique_ptr<ByteSource> open_other(const std::string& path) const;
};

class LQ_INNER MemorySource final : public ByteSource {
 public:
  MemorySource(Bytes bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}
  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;

 private:
  Bytes bytes_;
  std::string path_;
};

// A source that caches the bytes it reads, so that headers can be scanned repeatedly. Small reads that follow each
// other, or leave small gaps, become large ones, which grow from 16 KiB to a MiB and start over after a jump. Not
// thread-safe; used only while a file is being scanned.
class CachedSource final : public ByteSource {
 public:
  explicit CachedSource(ByteSource& source) : source_(source), size_(source.size()) {}
  const std::string& path() const noexcept override { return source_.path(); }
  std::uint64_t size() const override { return size_; }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override { return source_.next_data(offset); }
  std::unique_ptr<ByteSource> open_other(const std::string& path) const override { return source_.open_other(path); }

 private:
  // The cached bytes from `offset` on, read if necessary, at least one of `wanted`; empty at the end of the file.
  Bytes bytes_from(std::uint64_t offset, std::size_t wanted);

  ByteSource& source_;
  std::uint64_t size_;
  std::map<std::uint64_t, std::vector<std::byte>> pieces_;  // by offset; they do not overlap
  std::size_t held_ = 0;
  std::uint64_t last_begin_ = 0, last_end_ = 0;  // of the piece read last
  std::size_t window_ = 0;                       // the length requested then
};

// Bytes that are read a second time and compared, because no checksum covers them and a new file will replace the file
// they come from. A bit that flips in transit is then an error, not a new file.

// Reads the bytes from `offset` on again. io: they differ from `bytes`.
void require_same_again(ByteSource& source, std::uint64_t offset, Bytes bytes);

// Reads twice, in pieces that are still in cache when they are read again.
std::size_t read_twice(ByteSource& source, std::uint64_t offset, MutableBytes buffer);

// A source that performs every read twice. As thread-safe as the source it uses.
class ReadTwice final : public ByteSource {
 public:
  // `source` outlives the object.
  explicit ReadTwice(ByteSource& source) : source_(source) {}
  explicit ReadTwice(std::shared_ptr<ByteSource> source) : owned_(std::move(source)), source_(*owned_) {}
  const std::string& path() const noexcept override { return source_.path(); }
  std::uint64_t size() const override { return source_.size(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;
  std::uint64_t next_data(std::uint64_t offset) const override { return source_.next_data(offset); }
  void fetch_ahead(std::uint64_t offset, std::uint64_t bytes) noexcept override { source_.fetch_ahead(offset, bytes); }
  std::unique_ptr<ByteSource> open_other(const std::string& path) const override;

 private:
  std::shared_ptr<ByteSource> owned_;
  ByteSource& source_;
};

// The future contents of a file: parts of an existing file, with some bytes replaced. Bytes are copied only when they
// are read, whatever the size.

class LQ_INNER EditedSource final : public ByteSource {
 public:
  // The unchanged contents; `original` outlives the object.
  explicit EditedSource(ByteSource& original);
  // Zeros, to be replaced by parts of `original` and other bytes.
  EditedSource(ByteSource& original, std::uint64_t zeros);

  const std::string& path() const noexcept override { return original_.path(); }
  std::uint64_t size() const override { return starts_.back(); }
  std::size_t read_at(std::uint64_t offset, MutableBytes buffer) override;

  // Replaces the `length` bytes at `offset` by `bytes`, which may have another length.
  void replace(std::uint64_t offset, std::uint64_t length, Bytes bytes);
  // Replaces them by the same number of bytes of the original.
  void replace_by_original(std::uint64_t offset, std::uint64_t length, std::uint64_t original_offset);
  void append_zeros(std::uint64_t length);
  bool is_changed() const noexcept { return is_changed_; }

 private:
  enum class Kind { original, literal, zeros };
  struct Part {
    Kind kind = Kind::zeros;
    std::uint64_t length = 0;
    std::uint64_t offset = 0;      // in the original
    std::vector<std::byte> bytes;  // literal
  };

  std::size_t split(std::uint64_t offset);  // number of the part that begins there
  void put(std::uint64_t offset, std::uint64_t length, Part part);
  void count();

  ByteSource& original_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> starts_;  // of each part, and the end
  bool is_changed_ = false;
};

}  // namespace lq::base
