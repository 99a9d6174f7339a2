// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Binds names to the files to which they referred at first.
#include "storage/pinned_transport.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/system.hpp"
#include "storage/posix_file.hpp"

namespace lq::storage {

// Identity of a file: numbers of the system, compared.

namespace {

OpenFileFacts facts_of_numbers(const base::FileNumbers& numbers) noexcept {
  return {{.device = static_cast<std::uint64_t>(numbers.device),
           .inode = numbers.inode,
           .created = numbers.created,
           .bytes = numbers.bytes,
           .modified = numbers.modified},
          numbers.mode};
}

}  // namespace

bool is_same_file(const Identity& a, const Identity& b) noexcept {
  return a.device == b.device && a.inode == b.inode && a.created == b.created;
}

bool is_same_across_nodes(const Identity& a, const Identity& b) noexcept {
  return a.inode == b.inode && (a.created == b.created || a.created == 0 || b.created == 0);
}

bool is_unchanged(const Identity& before, const Identity& now) noexcept {
  return is_same_file(before, now) && before.bytes == now.bytes && before.modified == now.modified;
}

OpenFileFacts facts_of_open(int descriptor, const std::string& path) {
  base::FileNumbers numbers;
  if (base::file_numbers(descriptor, numbers) != 0) throw base::errno_error(path, "look it up", errno);
  return facts_of_numbers(numbers);
}

Identity identity_of_name(const std::string& path) {
  base::FileNumbers numbers;
  if (base::file_numbers(path.c_str(), numbers) != 0) throw base::errno_error(path, "look it up", errno);
  return facts_of_numbers(numbers).identity;
}

namespace {

// Out of the 1024 descriptors that a process usually has.
constexpr std::size_t most_open = 128;

// A file that other owners may share.
class Shared final : public ForwardingFile {
 public:
  Shared(std::shared_ptr<File> file, PinnedTransport& files) : ForwardingFile(std::move(file)), files_(files) {}
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    return files_.open_read(path);
  }
  Identity identity_when_opened() const override { return inner().identity_when_opened(); }
  void close() override {}

 private:
  PinnedTransport& files_;
};

}  // namespace

std::unique_ptr<File> PinnedTransport::open_read(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(path); known != known_.end() && known->second.file) {
    return std::make_unique<Shared>(known->second.file, *this);
  }
  std::shared_ptr<File> file = inner().open_read(path);
  const Identity now = file->identity_when_opened();
  Known& known = known_.try_emplace(path, Known{now, true, nullptr}).first->second;
  const bool is_same = known.is_ours ? is_same_file(known.identity, now)
                                     : is_same_across_nodes(known.identity, now) && known.identity.bytes == now.bytes;
  if (!is_same) {
    has_met_another_ = true;
    base::fail(Code::io, {.path = path}, "another file has got this name since the file was opened; open it again");
  }
  if (open_ < most_open) {
    known.file = file;
    ++open_;
  }
  return std::make_unique<Shared>(std::move(file), *this);
}

StorageTraits PinnedTransport::unit(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto known = units_.find(path);
  return known != units_.end() ? known->second : units_.emplace(path, inner().unit(path)).first->second;
}

std::optional<Identity> PinnedTransport::opened(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(path);
  return known == known_.end() ? std::nullopt : std::optional(known->second.identity);
}

void PinnedTransport::expect(const std::string& path, const Identity& identity) {
  const std::lock_guard lock(mutex_);
  known_.try_emplace(path, Known{identity, false, nullptr});
}

void PinnedTransport::refresh(const std::string& path, const Identity& now) {
  const std::lock_guard lock(mutex_);
  known_.at(path).identity = now;
}

bool PinnedTransport::has_seen_replacement() const {
  const std::lock_guard lock(mutex_);
  return has_met_another_;
}

bool PinnedTransport::mean_the_same() const noexcept {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(known_, [&](const auto& one) {
    const auto& [path, known] = one;
    if (!known.is_ours) return true;
    try {
      // For a link the identity is its own; then the open file is compared.
      return is_same_file(known.identity, inner().identity(path)) ||
             is_same_file(known.identity, inner().open_read(path)->identity());
    } catch (const Error& error) {
      return error.code() != Code::not_found;
    } catch (...) {
      return true;  // unknown; the next access reports it
    }
  });
}

void PinnedTransport::forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
  units_.clear();
  open_ = 0;
  has_met_another_ = false;
}

}  // namespace lq::storage
