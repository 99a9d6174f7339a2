// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Channels over Files: descriptors where the transport is the POSIX file system. Small writes one behind the other are
// put together where a buffer was asked for.
#include "multifile/channel.hpp"

#include <vector>

#include <limequat/error.hpp>

#include "multifile/stdio_channel.hpp"
#include "transport/posix_file.hpp"

namespace lq::multifile {
namespace {

class FileChannel final : public Channel {
 public:
  FileChannel(std::unique_ptr<transport::File> file, std::size_t buffer_bytes)
      : file_(std::move(file)), capacity_(buffer_bytes) {
    buffer_.reserve(capacity_);
  }
  ~FileChannel() override {
    try {
      flush();
    } catch (const Error&) {  // close() would have told
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
    file_->close();
  }

  int descriptor() const noexcept override {
    const auto* const posix = dynamic_cast<const transport::PosixFile*>(file_.get());
    return posix == nullptr ? -1 : posix->descriptor();
  }

 private:
  std::unique_ptr<transport::File> file_;
  std::size_t capacity_;
  std::vector<std::byte> buffer_;
  std::uint64_t begin_ = 0;  // in the file, of the buffer
};

}  // namespace

std::unique_ptr<Channel> Opener::open(const std::string& path, Direction direction) const {
  if (access == Access::stdio) return std::make_unique<StdioChannel>(path, direction, buffer_bytes);
  auto file = direction == Direction::write ? transport->open_write(path) : transport->open_read(path);
  return std::make_unique<FileChannel>(std::move(file), direction == Direction::write ? buffer_bytes : 0);
}

Opener Opener::with(const Mode& mode, std::int32_t block_size) const {
  Opener opener = *this;
  opener.access = mode.access;
  if (block_size > 0) {
    opener.buffer_bytes = static_cast<std::size_t>(mode.buffer_bytes < 0 ? block_size : mode.buffer_bytes);
  }
  return opener;
}

std::unique_ptr<transport::File> Opener::create(const std::string& path) const {
  if (transport->kind(path) == transport::PathKind::absent) {
    try {
      return transport->create(path);
    } catch (const Error& error) {
      if (error.code() != Code::exists) throw;  // else it has just appeared
    }
  }
  auto file = transport->open_write(path);
  file->resize(0);
  return file;
}

}  // namespace lq::multifile
