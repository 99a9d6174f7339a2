// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that run on several ranks: every rank runs every body, and the run passes only if it passes on all.
#pragma once

#include <limequat/mpi.hpp>

#include <functional>
#include <string>

#include <limequat/error.hpp>

namespace lq::testing {

int world_rank();
int world_size();

// Gives the core to ranks that share it.
void wait(MPI_Request request);

// Collective. Whether it is so on any rank.
bool anywhere(bool here);

// Collective. The code of a call, which is expected to be the same on all ranks; returns one for all.
int same(int code);

// Collective. A directory that all ranks use, removed by the last of them.
class SharedDirectory {
 public:
  SharedDirectory();
  ~SharedDirectory();
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Collective. Runs `work` on every rank, checks that all ranks threw the same error (code, sentence and facts), and
// returns it; code ok when none threw.
Error same_error_of(const std::function<void()>& work);

}  // namespace lq::testing
