// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <limequat/survey.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "diagnosis/probes.hpp"
#include "storage/forwarding.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

TEST(ProbeFiles, AreRemovedAsLongAsTheirProbesAreUnderWay) {
  const testing::ScratchDirectory scratch;
  for (const char* name : {"under-way", "done", "of-others"}) testing::put_contents(scratch / name, "bytes");
  const ProbeFile one(scratch / "under-way");
  { const ProbeFile two(scratch / "done"); }
  remove_probe_files();
  EXPECT_EQ(testing::files_in(scratch.path()), (std::vector<std::string>{"done", "of-others"}));
}

TEST(ProbeFiles, MayBeMoreThanThereArePlaces) {
  const testing::ScratchDirectory scratch;
  std::vector<std::unique_ptr<ProbeFile>> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back(std::make_unique<ProbeFile>(scratch / std::to_string(i)));
    testing::put_contents(many.back()->path(), "bytes");
  }
  remove_probe_files();
  EXPECT_FALSE(std::filesystem::exists(scratch / "0"));
  many.clear();
  const ProbeFile again(scratch / "again");
  testing::put_contents(again.path(), "bytes");
  remove_probe_files();
  EXPECT_FALSE(std::filesystem::exists(again.path()));
}

void end_cleanly(int) {
  remove_probe_files();
  ::_exit(7);
}

// An examination that hangs in a sync, and a signal.
TEST(ProbeFiles, OfAnExaminationThatIsInterruptedAreGone) {
  const testing::ScratchDirectory scratch;
  const testing::ScratchDirectory sign;
  const pid_t child = ::fork();
  if (child == 0) {
    class Hanging final : public storage::ForwardingTransport {
     public:
      Hanging(storage::Transport& inner, std::string path) : ForwardingTransport(inner), sign_(std::move(path)) {}
      void sync_directory(const std::string&) override {
        testing::put_contents(sign_, "hangs");
        ::pause();
      }

     private:
      std::string sign_;
    } hanging(storage::posix(), sign / "hangs");
    std::signal(SIGTERM, end_cleanly);
    diagnosis::examine(*comm::make_self(), hanging, scratch.path());
    ::_exit(0);
  }
  while (!std::filesystem::exists(sign / "hangs")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(testing::files_in(scratch.path()).empty());
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_TRUE(testing::files_in(scratch.path()).empty());
}

}  // namespace
}  // namespace lq
