// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reading out of a child process whose memory is known.
#include "comm/node.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {

std::size_t most_bytes = SIZE_MAX;  // that the system reads at once

}  // namespace

// In place of the C library's: the system may stop anywhere.
extern "C" ssize_t process_vm_readv(pid_t process, const iovec* local, unsigned long locals, const iovec* remote,
                                    unsigned long remotes, unsigned long flags) {
  iovec less = *local;
  less.iov_len = std::min(less.iov_len, most_bytes);
  return ::syscall(SYS_process_vm_readv, process, &less, locals, remote, remotes, flags);
}

namespace lq::comm {
namespace {

// A process with the same memory as this one at the time of its birth.
class Child {
 public:
  Child() : process_(::fork()) {
    if (process_ == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  ~Child() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

std::uint64_t address_of(const std::byte* p) { return reinterpret_cast<std::uint64_t>(p); }

TEST(NeighbourMemory, PiecesArriveInOrderWhateverTheirNumberAndSize) {
  std::vector<std::byte> memory(100'000);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 31 % 253);
  const Child child;
  std::vector<std::byte> expected;
  std::vector<NeighbourPiece> pieces;
  for (std::size_t i = 0; i < 1000; ++i) {  // more than one call takes
    const std::size_t start = i * 7919 % 90'000, bytes = i % 40;
    pieces.push_back({address_of(memory.data() + start), bytes});
    expected.insert(expected.end(), memory.begin() + static_cast<std::ptrdiff_t>(start),
                    memory.begin() + static_cast<std::ptrdiff_t>(start + bytes));
  }
  memory.assign(memory.size(), std::byte{0});  // ours, not the child's
  for (const std::size_t at_once : {SIZE_MAX, std::size_t{1000}, std::size_t{7}}) {
    most_bytes = at_once;
    std::vector<std::byte> found(expected.size());
    const int failure = pull(child.process(), pieces, found.data());
    most_bytes = SIZE_MAX;
    if (failure == EPERM || failure == ENOSYS) GTEST_SKIP() << "not permitted here";
    ASSERT_EQ(failure, 0);
    EXPECT_EQ(found, expected) << at_once;
  }
}

TEST(NeighbourMemory, WhatIsNotThereIsAnErrorAndNoCrash) {
  const Child child;
  std::vector<std::byte> found(16);
  const std::vector<NeighbourPiece> nowhere{{8, 16}};
  EXPECT_NE(pull(child.process(), nowhere, found.data()), 0);
}

}  // namespace
}  // namespace lq::comm
