// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One rank makes an object in the shared memory file system and reserves its pages (a page that cannot be had
// later would be a bus error); the others open it by name; the name goes away before anything else happens, so that
// nothing is left behind by a job that dies.
#include "comm/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <random>
#include <string>

#include <fmt/format.h>

#include "comm/agree.hpp"

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

// Name and descriptor of a new object whose pages are reserved; an empty name when there is none to be had.
std::string make_object(std::uint64_t bytes, int& descriptor) try {
  std::random_device random;
  const std::string name = fmt::format("/limequat-{}-{:08x}{:08x}", ::getpid(), random(), random());
  descriptor = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (descriptor < 0) return {};
  int reason = EINTR;
  for (int attempt = 0; reason == EINTR && attempt < 100; ++attempt) {
    reason = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  }
  if (reason == 0) return name;
  ::shm_unlink(name.c_str());
  return {};
} catch (...) {
  return {};  // no randomness or no memory: no name
}

bool everywhere(Comm& node, bool here) {
  std::array<std::uint64_t, 1> all{here ? 1U : 0U};
  node.all_reduce(all, Reduce::min);
  return all[0] == 1;
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::create(Comm& node, std::uint64_t bytes_per_rank) {
  bytes_per_rank = (bytes_per_rank + page_bytes - 1) / page_bytes * page_bytes;
  const std::uint64_t bytes = bytes_per_rank * static_cast<std::uint64_t>(node.size());
  int made = -1;
  std::string name = node.rank() == 0 ? make_object(bytes, made) : std::string();
  const Descriptor own(made);
  name = broadcast_text(node, name);
  if (name.empty()) return nullptr;

  const Descriptor opened(node.rank() == 0 ? -1 : ::shm_open(name.c_str(), O_RDWR, 0600));
  const int descriptor = node.rank() == 0 ? own.get() : opened.get();
  void* start = MAP_FAILED;
  if (descriptor >= 0) start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const bool mapped = everywhere(node, start != MAP_FAILED);
  if (node.rank() == 0) ::shm_unlink(name.c_str());
  if (mapped) {
    return std::unique_ptr<SharedMemory>(new SharedMemory(static_cast<std::byte*>(start), bytes, bytes_per_rank));
  }
  if (start != MAP_FAILED) ::munmap(start, bytes);
  return nullptr;
}

SharedMemory::~SharedMemory() { ::munmap(start_, bytes_); }

}  // namespace lq::comm
