// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Files in memory: the semantics of the POSIX transport without a disk. As there, an open file outlives the removal of
// its name. A directory is any prefix of a file name that ends before a slash.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "storage/transport.hpp"

namespace lq::storage {
namespace {

struct Contents {
  std::mutex mutex;
  std::vector<std::byte> bytes;
  std::int64_t changes = 0;

  Identity identity() {
    const std::lock_guard lock(mutex);
    return {.inode = reinterpret_cast<std::uintptr_t>(this), .bytes = bytes.size(), .modified = changes};
  }
};

class MemoryFile final : public File {
 public:
  MemoryFile(std::string path, std::shared_ptr<Contents> contents, bool writable)
      : path_(std::move(path)), contents_(std::move(contents)), writable_(writable) {}

  const std::string& path() const noexcept override { return path_; }

  std::uint64_t size() const override {
    require_open("find its size", true);
    const std::lock_guard lock(contents_->mutex);
    return contents_->bytes.size();
  }

  Identity identity() const override { return contents_->identity(); }

  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    require_position(path_, "read", offset, 0);
    require_open("read", true);
    const std::lock_guard lock(contents_->mutex);
    const auto& bytes = contents_->bytes;
    if (offset >= bytes.size() || buffer.empty()) return 0;
    const std::size_t count = std::min<std::uint64_t>(buffer.size(), bytes.size() - offset);
    std::memcpy(buffer.data(), bytes.data() + offset, count);
    return count;
  }

  void write_at(std::uint64_t offset, base::Bytes bytes) override {
    require_position(path_, "write", offset, bytes.size());
    require_open("write", writable_);
    if (bytes.empty()) return;
    const std::lock_guard lock(contents_->mutex);
    if (offset + bytes.size() > contents_->bytes.size()) {
      grow(offset + bytes.size(), [&] { return position_error(path_, "write", offset, bytes.size(), ENOSPC); });
    }
    std::memcpy(contents_->bytes.data() + offset, bytes.data(), bytes.size());
    ++contents_->changes;
  }

  void reserve(std::uint64_t, std::uint64_t) override {}
  void resize(std::uint64_t bytes) override {
    require_position(path_, "resize to", 0, bytes);
    require_open("resize", writable_);
    const std::lock_guard lock(contents_->mutex);
    grow(bytes, [&] { return base::errno_error(path_, "resize to " + std::to_string(bytes) + " bytes", ENOSPC); });
    ++contents_->changes;
  }

  void sync() override { require_open("sync", true); }
  void close() override { open_ = false; }

 private:
  void require_open(const char* what, bool allowed) const {
    if (!open_ || !allowed) throw base::errno_error(path_, what, EBADF);
  }

  template <class MakeError>
  void grow(std::uint64_t bytes, MakeError make_error) {
    try {
      contents_->bytes.resize(bytes);
    } catch (const std::bad_alloc&) {
      throw make_error();
    } catch (const std::length_error&) {
      throw make_error();
    }
  }

  std::string path_;
  std::shared_ptr<Contents> contents_;
  bool writable_;
  bool open_ = true;
};

class Memory final : public Transport {
 public:
  std::unique_ptr<File> open_read(const std::string& path) override { return open(path, "open for reading", false); }
  std::unique_ptr<File> open_write(const std::string& path) override { return open(path, "open for writing", true); }

  std::unique_ptr<File> create(const std::string& path, const Creation&) override {
    const std::lock_guard lock(mutex_);
    if (path.empty()) throw base::errno_error(path, "create", ENOENT);
    if (kind_of(path) != PathKind::absent) throw base::errno_error(path, "create", EEXIST);
    const auto contents = std::make_shared<Contents>();
    files_.emplace(path, contents);
    return std::make_unique<MemoryFile>(path, contents, true);
  }

  void rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    if (kind_of(from) == PathKind::directory) return rename_directory(from, to);
    auto contents = find(from, "rename to " + to);
    if (kind_of(to) == PathKind::directory) throw base::errno_error(from, "rename to " + to, EISDIR);
    files_.erase(from);
    files_[to] = std::move(contents);
  }

  void publish(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    auto contents = find(from, "rename to " + to);
    if (kind_of(to) != PathKind::absent) throw base::errno_error(to, "give this name to a new file", EEXIST);
    files_.erase(from);
    files_[to] = std::move(contents);
  }

  void remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    find(path, "remove");
    files_.erase(path);
  }

  void sync_directory(const std::string&) override {}
  void make_directory(const std::string&) override {}

  PathKind kind(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return kind_of(path);
  }

  Identity identity(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return find(path, "look it up")->identity();
  }

  std::optional<std::uint64_t> free_space(const std::string&) override { return std::nullopt; }

  StorageTraits unit(const std::string&) override { return {}; }
  void copy_permissions(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    find(from, "read its permissions");
    find(to, "set its permissions");
  }
  void set_modified(const std::string& path, std::int64_t nanoseconds) override {
    const std::lock_guard lock(mutex_);
    const auto contents = find(path, "set its time");
    const std::lock_guard contents_lock(contents->mutex);
    contents->changes = nanoseconds;
  }

 private:
  PathKind kind_of(const std::string& path) const {
    if (files_.count(path) != 0) return PathKind::file;
    const std::string prefix = path + "/";
    const auto inside = files_.lower_bound(prefix);
    const bool directory = inside != files_.end() && inside->first.compare(0, prefix.size(), prefix) == 0;
    return directory ? PathKind::directory : PathKind::absent;
  }

  void rename_directory(const std::string& from, const std::string& to) {
    if (kind_of(to) != PathKind::absent) throw base::errno_error(from, "rename to " + to, ENOTEMPTY);
    const std::string prefix = from + "/";
    for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix);) {
      auto moved = files_.extract(file++);
      moved.key().replace(0, from.size(), to);
      files_.insert(std::move(moved));
    }
  }

  std::shared_ptr<Contents> find(const std::string& path, const std::string& what) const {
    const auto found = files_.find(path);
    if (found == files_.end()) throw base::errno_error(path, what, ENOENT);
    return found->second;
  }

  std::unique_ptr<File> open(const std::string& path, const char* what, bool writable) {
    const std::lock_guard lock(mutex_);
    if (kind_of(path) == PathKind::directory) throw not_regular(path, "a directory", EISDIR);
    return std::make_unique<MemoryFile>(path, find(path, what), writable);
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Contents>> files_;
};

}  // namespace

std::shared_ptr<Transport> make_memory() { return std::make_shared<Memory>(); }

}  // namespace lq::storage
