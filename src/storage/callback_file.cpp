// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport of one file that is read through functions of the caller.
#include <atomic>
#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <limequat/storage.hpp>

#include "base/error.hpp"
#include "storage/transport.hpp"

namespace lq {
namespace storage {

// The functions, and the number of the file, by which ranks recognise that they have the same one.
struct SharedCallbacks {
  ReadCallbacks functions;
  std::uint64_t number = 0;
  std::mutex mutex;  // for functions that are called one at a time

  Identity identity() const noexcept {
    return {.inode = number, .bytes = functions.bytes, .modified = functions.modified};
  }
};

[[noreturn]] static void refuse_to_write(const std::string& path) {
  base::fail(Code::unsupported, {.path = path, .system_errno = EROFS},
             "a file that is read by functions of the program cannot be written or renamed; name a file of the file "
             "system as the target");
}

class CallbackBytes final : public File {
 public:
  CallbackBytes(std::string path, std::shared_ptr<SharedCallbacks> callbacks)
      : path_(std::move(path)), callbacks_(std::move(callbacks)) {}

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return callbacks_->functions.bytes; }
  Identity identity() const override { return callbacks_->identity(); }
  bool reads_serially() const noexcept override { return !callbacks_->functions.concurrent; }

  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    require_position(path_, "read", offset, 0);
    const std::uint64_t bytes = callbacks_->functions.bytes;
    if (offset >= bytes) return 0;
    buffer = buffer.first(std::min<std::uint64_t>(buffer.size(), bytes - offset));
    std::unique_lock lock(callbacks_->mutex, std::defer_lock);
    if (!callbacks_->functions.concurrent) lock.lock();
    std::size_t done = 0;
    while (done < buffer.size()) {
      const std::size_t got = call(offset + done, buffer.subspan(done));
      if (got == 0) break;
      done += got;
    }
    return done;
  }

  void write_at(std::uint64_t, base::Bytes) override { refuse_to_write(path_); }
  void resize(std::uint64_t) override { refuse_to_write(path_); }
  void reserve(std::uint64_t, std::uint64_t) override {}
  void sync() override {}
  void close() override {}

 private:
  std::size_t call(std::uint64_t offset, base::MutableBytes buffer) const try {
    const std::size_t got = callbacks_->functions.read_at(offset, buffer);
    if (got <= buffer.size()) return got;
    base::fail(Code::io, {}, "the read_at function returned {} of the {} requested bytes", got, buffer.size());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const auto* own = dynamic_cast<const Error*>(&error);
    ErrorFacts facts = own == nullptr ? ErrorFacts{} : own->facts();
    facts.path = path_;
    facts.offset = offset;
    throw Error(own == nullptr ? Code::io : own->code(),
                fmt::format("{}: the program's function cannot read {} bytes at byte {}: {}", path_, buffer.size(),
                            offset, error.what()),
                facts);
  }

  std::string path_;
  std::shared_ptr<SharedCallbacks> callbacks_;
};

}  // namespace storage

class CallbackFile::Transport final : public storage::Transport {
 public:
  Transport(std::string folder, std::string path, std::shared_ptr<storage::SharedCallbacks> callbacks)
      : path_(std::move(path)), callbacks_(std::move(callbacks)), mount_(std::move(folder), *this) {}

  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    require(path, "open for reading");
    return std::make_unique<storage::CallbackBytes>(path_, callbacks_);
  }
  std::unique_ptr<storage::File> open_write(const std::string& path) override { storage::refuse_to_write(path); }
  std::unique_ptr<storage::File> create(const std::string& path, const storage::Creation&) override {
    storage::refuse_to_write(path);
  }
  void rename(const std::string& from, const std::string&) override { storage::refuse_to_write(from); }
  void publish(const std::string& from, const std::string&) override { storage::refuse_to_write(from); }
  void remove(const std::string& path) override { storage::refuse_to_write(path); }
  void sync_directory(const std::string&) override {}
  void make_directory(const std::string& path) override { storage::refuse_to_write(path); }
  storage::PathKind kind(const std::string& path) override {
    return path == path_ ? storage::PathKind::file : storage::PathKind::absent;
  }
  storage::Identity identity(const std::string& path) override {
    require(path, "look it up");
    return callbacks_->identity();
  }
  std::optional<std::uint64_t> free_space(const std::string&) override { return std::nullopt; }
  storage::StorageTraits unit(const std::string&) override {
    storage::StorageTraits unit;
    unit.reads_in_order = !callbacks_->functions.concurrent;
    unit.read_bytes = callbacks_->functions.request_bytes;
    return unit;
  }
  void copy_permissions(const std::string&, const std::string& to) override { storage::refuse_to_write(to); }
  void set_modified(const std::string& path, std::int64_t) override { storage::refuse_to_write(path); }

 private:
  void require(const std::string& path, const char* doing) const {
    if (path != path_) throw base::errno_error(path, doing, ENOENT);
  }

  std::string path_;
  std::shared_ptr<storage::SharedCallbacks> callbacks_;
  storage::Mount mount_;
};

CallbackFile::CallbackFile(ReadCallbacks callbacks) {
  static std::atomic<std::uint64_t> last{0};
  if (!callbacks.read_at) throw Error(Code::invalid_argument, "a callback file needs a function read_at; it has none");
  const std::string& name = callbacks.name;
  const bool is_path = name.find("://") != std::string::npos;
  if (name.empty() || (!is_path && name.find('/') != std::string::npos) || name.find('\0') != std::string::npos) {
    base::fail(Code::invalid_argument, {.found = name},
               "the name of a callback file is \"{}\", expected the name of a file without its folder",
               name.substr(0, name.find('\0')));
  }
  storage::require_position(name, "read", 0, callbacks.bytes);
  auto shared = std::make_shared<storage::SharedCallbacks>();
  shared->functions = std::move(callbacks);
  shared->number = ++last;
  const std::string folder = fmt::format("callback:{}/", shared->number);
  path_ = is_path ? shared->functions.name : folder + shared->functions.name;
  transport_ = std::make_unique<Transport>(is_path ? path_ : folder, path_, std::move(shared));
}

CallbackFile::~CallbackFile() = default;

}  // namespace lq
