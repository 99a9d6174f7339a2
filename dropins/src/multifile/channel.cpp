// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Channels over Files: descriptors if the transport is the POSIX file system. Small consecutive writes are
// combined if a buffer was requested.
#include "multifile/channel.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "storage/posix_file.hpp"

namespace lq::multifile {
namespace {

// A channel over a stdio stream.

class StdioChannel final : public Channel {
 public:
  // `path` exists.
  StdioChannel(std::string path, Direction direction, std::size_t buffer_bytes, bool syncs);
  ~StdioChannel() override;

  const std::string& path() const noexcept override { return path_; }
  void write_at(std::uint64_t offset, base::Bytes bytes) override;
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  void flush() override;
  void close() override;

  FILE* share_stream() override;
  bool is_shared() const noexcept override { return shared_ || second_ != nullptr; }
  std::uint64_t tell() override;
  void seek(std::uint64_t offset) override;
  bool use_second_stream(FILE* stream) override;
  bool forget_stream() override;
  bool set_buffer(std::size_t bytes) override;

 private:
  FILE* stream() const;
  void move_to(std::uint64_t offset);

  std::string path_;
  Direction direction_;
  bool syncs_;
  FILE* own_ = nullptr;
  FILE* second_ = nullptr;  // the caller's
  bool shared_ = false;
  std::optional<std::uint64_t> position_;  // position of the stream, while no other code moves it
  std::vector<char> buffer_;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw base::errno_error(path, what, errno == 0 ? EIO : errno);
}

StdioChannel::StdioChannel(std::string path, Direction direction, std::size_t buffer_bytes, bool syncs)
    : path_(std::move(path)), direction_(direction), syncs_(syncs) {
  const bool writes = direction == Direction::write;
  struct stat status {};
  // fopen would open a directory for reading, and block at a FIFO.
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    fail(path_, writes ? "open for writing" : "open for reading");
  }
  own_ = std::fopen(path_.c_str(), writes ? "r+be" : "rbe");
  if (own_ == nullptr) fail(path_, writes ? "open for writing" : "open for reading");
  if (buffer_bytes > 0) set_buffer(buffer_bytes);
}

StdioChannel::~StdioChannel() {
  if (own_ != nullptr) std::fclose(own_);
}

FILE* StdioChannel::stream() const {
  FILE* const stream = second_ != nullptr ? second_ : own_;
  if (stream != nullptr) return stream;
  throw Error(Code::wrong_state, fmt::format("{}: its stream was closed by its user; close the multifile", path_),
              {.path = path_});
}

void StdioChannel::move_to(std::uint64_t offset) {
  if (!is_shared() && position_ == offset) return;
  if (is_shared() && tell() == offset) return;
  seek(offset);
}

void StdioChannel::write_at(std::uint64_t offset, base::Bytes bytes) {
  move_to(offset);
  errno = 0;
  const std::size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stream());
  position_ = offset + written;
  if (written == bytes.size()) return;
  position_.reset();
  fail(path_, fmt::format("write {} bytes at offset {}", bytes.size(), offset));
}

std::size_t StdioChannel::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  move_to(offset);
  errno = 0;
  const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), stream());
  position_ = offset + got;
  if (got < buffer.size() && std::ferror(stream()) != 0) {
    position_.reset();
    fail(path_, fmt::format("read {} bytes at offset {}", buffer.size(), offset));
  }
  return got;
}

void StdioChannel::flush() {
  if (direction_ != Direction::write) return;
  errno = 0;
  if (second_ != nullptr && std::fflush(second_) != 0) fail(path_, "write what was buffered");
  if (own_ == nullptr) return;
  if (std::fflush(own_) != 0 || std::ferror(own_) != 0) fail(path_, "write what was buffered");
}

void StdioChannel::close() {
  second_ = nullptr;
  if (own_ == nullptr) return;
  FILE* const stream = own_;
  own_ = nullptr;
  const bool was_bad = direction_ == Direction::write && std::ferror(stream) != 0;
  errno = 0;
  const bool is_synced = !syncs_ || (std::fflush(stream) == 0 && ::fsync(::fileno(stream)) == 0);
  const int failure = errno;
  if (std::fclose(stream) != 0 || was_bad || !is_synced) {
    if (!is_synced) errno = failure;
    fail(path_, "write what was buffered and close");
  }
}

FILE* StdioChannel::share_stream() {
  shared_ = true;
  return stream();
}

std::uint64_t StdioChannel::tell() {
  const off_t offset = ::ftello(stream());
  if (offset < 0) fail(path_, "find the position of its stream");
  return static_cast<std::uint64_t>(offset);
}

void StdioChannel::seek(std::uint64_t offset) {
  position_.reset();
  if (::fseeko(stream(), static_cast<off_t>(offset), SEEK_SET) != 0) {
    fail(path_, fmt::format("move its stream to offset {}", offset));
  }
  position_ = offset;
}

bool StdioChannel::use_second_stream(FILE* stream) {
  // Data in the own buffer precede those that the other stream will write.
  if (own_ != nullptr) std::fflush(own_);
  if (second_ != nullptr && direction_ == Direction::write) std::fflush(second_);
  second_ = stream;
  position_.reset();
  return true;
}

bool StdioChannel::forget_stream() {
  own_ = nullptr;
  return true;
}

bool StdioChannel::set_buffer(std::size_t bytes) {
  const std::uint64_t position = tell();
  if (std::fflush(own_) != 0) fail(path_, "write what was buffered");
  std::vector<char> buffer(bytes);
  if (std::setvbuf(own_, buffer.data(), _IOFBF, buffer.size()) != 0) return false;
  buffer_ = std::move(buffer);
  seek(position);
  return true;
}

class FileChannel final : public Channel {
 public:
  FileChannel(std::unique_ptr<storage::File> file, std::size_t buffer_bytes, bool syncs)
      : file_(std::move(file)), syncs_(syncs), capacity_(buffer_bytes) {
    buffer_.reserve(capacity_);
  }
  ~FileChannel() override {
    try {
      flush();
    } catch (const Error&) {  // close() would have reported it
    }
  }

  const std::string& path() const noexcept override { return file_->path(); }

  void write_at(std::uint64_t offset, base::Bytes bytes) override {
    if (offset != begin_ + buffer_.size() || buffer_.size() + bytes.size() > capacity_) flush();
    if (bytes.size() >= capacity_) return file_->write_at(offset, bytes);
    if (buffer_.empty()) begin_ = offset;
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }

  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    flush();
    return file_->read_at(offset, buffer);
  }

  void flush() override {
    if (buffer_.empty()) return;
    file_->write_at(begin_, buffer_);
    buffer_.clear();
  }

  void close() override {
    flush();
    if (syncs_) file_->sync();
    file_->close();
  }

  int descriptor() const noexcept override {
    const auto* const posix = dynamic_cast<const storage::PosixFile*>(file_.get());
    return posix == nullptr ? -1 : posix->descriptor();
  }

 private:
  std::unique_ptr<storage::File> file_;
  bool syncs_;
  std::size_t capacity_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // in the file, of the buffer
};

}  // namespace

std::unique_ptr<Channel> Opener::open(const std::string& path, Direction direction) const {
  const bool writes = direction == Direction::write;
  if (access == Access::stdio) return std::make_unique<StdioChannel>(path, direction, buffer_bytes, writes && syncs);
  auto file = writes ? transport->open_write(path) : transport->open_read(path);
  return std::make_unique<FileChannel>(std::move(file), writes ? buffer_bytes : 0, writes && syncs);
}

Opener Opener::with(const Mode& mode, std::int32_t block_size) const {
  Opener opener = *this;
  opener.access = mode.access;
  if (block_size > 0) {
    opener.buffer_bytes = static_cast<std::size_t>(mode.buffer_bytes < 0 ? block_size : mode.buffer_bytes);
  }
  return opener;
}

std::unique_ptr<storage::File> Opener::create(const std::string& path) const {
  if (transport->kind(path) == storage::PathKind::absent) {
    try {
      return transport->create(path);
    } catch (const Error& error) {
      if (error.code() != Code::exists) throw;  // otherwise it has just appeared
    }
  }
  auto file = transport->open_write(path);
  file->resize(0);
  return file;
}

}  // namespace lq::multifile
