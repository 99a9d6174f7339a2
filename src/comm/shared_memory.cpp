// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank makes an object without a name, which the others open through its descriptor; where that cannot be done, one
// with a name, which goes away before anything else happens. Every rank reserves the pages of its own area: they come
// to lie on its memory node, and a page that cannot be had later would be a bus error. Nobody asks for memory while
// others wait.
#include "comm/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <new>

#include <fmt/format.h>

#include "base/random_number.hpp"

namespace lq::comm {
namespace {

constexpr std::uint64_t page_bytes = 4096;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return value_; }

 private:
  int value_;
};

// How others find an object: nothing but this passes between ranks.
struct Directions {
  bool exists = false;
  std::array<char, 64> path{};  // of the descriptor, or the name
  std::uint64_t device = 0, inode = 0;
};

int make_object(bool has_name, Directions& directions) noexcept try {
  std::array<char, 64>& path = directions.path;  // of zeros
  int made = -1;
  if (has_name) {
    fmt::format_to_n(path.data(), path.size() - 1, "/limequat-{}-{:08x}{:08x}", ::getpid(), base::random_number(),
                     base::random_number());
    made = ::shm_open(path.data(), O_RDWR | O_CREAT | O_EXCL, 0600);
  } else {
    made = ::memfd_create("limequat", MFD_CLOEXEC);
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/fd/{}", ::getpid(), made);
  }
  struct stat status {};
  if (made < 0 || ::fstat(made, &status) != 0) return made;
  directions.device = status.st_dev;
  directions.inode = status.st_ino;
  directions.exists = true;
  return made;
} catch (...) {
  return -1;  // no randomness
}

// Another process may have that number where this one looks.
int open_object(bool has_name, const Directions& directions) noexcept {
  const int opened =
      has_name ? ::shm_open(directions.path.data(), O_RDWR, 0600) : ::open(directions.path.data(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (opened < 0 ||
      (::fstat(opened, &status) == 0 && status.st_dev == directions.device && status.st_ino == directions.inode)) {
    return opened;
  }
  ::close(opened);
  return -1;
}

bool reserve(int descriptor, std::uint64_t offset, std::uint64_t bytes) noexcept {
  int reason = EINTR;
  for (int attempt = 0; reason == EINTR && attempt < 100; ++attempt) {
    reason = ::posix_fallocate(descriptor, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  return reason == 0;
}

bool everywhere(Comm& node, bool here) {
  std::array<std::uint64_t, 1> all{here ? 1U : 0U};
  node.all_reduce(all, Reduce::min);
  return all[0] == 1;
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::create(Comm& node, std::uint64_t bytes_per_rank) {
  bytes_per_rank = (bytes_per_rank + page_bytes - 1) / page_bytes * page_bytes;
  for (const bool has_name : {false, true}) {
    if (auto memory = create(node, bytes_per_rank, has_name)) return memory;
  }
  return nullptr;
}

std::unique_ptr<SharedMemory> SharedMemory::create(Comm& node, std::uint64_t bytes_per_rank, bool has_name) {
  const std::uint64_t bytes = bytes_per_rank * static_cast<std::uint64_t>(node.size());
  const bool is_maker = node.rank() == 0;
  Directions directions;
  const Descriptor made(is_maker ? make_object(has_name, directions) : -1);
  node.broadcast(std::as_writable_bytes(std::span(&directions, 1)), 0);
  if (!directions.exists) return nullptr;

  const Descriptor opened(is_maker ? -1 : open_object(has_name, directions));
  const int descriptor = is_maker ? made.get() : opened.get();
  const bool all_opened = everywhere(node, descriptor >= 0);
  if (is_maker && has_name) ::shm_unlink(directions.path.data());
  if (!all_opened) return nullptr;

  std::unique_ptr<SharedMemory> memory(new (std::nothrow) SharedMemory(bytes, bytes_per_rank));
  const std::uint64_t own = static_cast<std::uint64_t>(node.rank()) * bytes_per_rank;
  const bool is_mapped = memory && reserve(descriptor, own, bytes_per_rank) && memory->map(descriptor);
  return everywhere(node, is_mapped) ? std::move(memory) : nullptr;
}

bool SharedMemory::map(int descriptor) noexcept {
  void* const start = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (start == MAP_FAILED) return false;
  start_ = static_cast<std::byte*>(start);
  return true;
}

SharedMemory::~SharedMemory() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

}  // namespace lq::comm
