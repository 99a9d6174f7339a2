// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A name means the file that it meant at first, on this node and as another one has told.
#include "storage/pinned_transport.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace lq::storage {
namespace {

using testing::error_of;

class Opened : public ::testing::Test {
 protected:
  Opened() { testing::put_contents(path_, "some bytes"); }

  Code opening_what_another_node_saw(const Identity& seen) const {
    PinnedTransport files(posix());
    files.expect(path_, seen);
    const Code code = error_of([&] { files.open_read(path_); }).code();
    EXPECT_EQ(files.has_seen_replacement(), code != Code::ok);
    return code;
  }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "file";
};

TEST_F(Opened, ByTheIdentityThatAnotherNodeSaw) {
  const Identity here = posix().identity(path_);
  EXPECT_EQ(opening_what_another_node_saw(here), Code::ok);
  Identity seen = here;
  seen.device += 1;  // each node numbers its mounts itself
  seen.modified += 1;
  EXPECT_EQ(opening_what_another_node_saw(seen), Code::ok);
  seen.bytes += 1;  // a client that keeps a size of its own
  EXPECT_EQ(opening_what_another_node_saw(seen), Code::io);
  seen = here;
  seen.inode += 1;
  EXPECT_EQ(opening_what_another_node_saw(seen), Code::io);
}

TEST_F(Opened, ByThisNodeMayGrow) {
  PinnedTransport files(posix());
  files.expect(directory_ / "other", {});
  files.open_read(path_);
  testing::put_contents(path_, "some bytes, and more of them");
  EXPECT_EQ(error_of([&] { files.open_read(path_); }).code(), Code::ok);
  EXPECT_EQ(files.opened(path_)->bytes, 10U);
}

}  // namespace
}  // namespace lq::storage
