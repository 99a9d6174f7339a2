// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Appends in place: each operation fails or is the last one; the file is then what it was or what it was to become, as
// readers see it, before and after it is recovered.
#include "io/journal.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "io/journal_watch.hpp"
#include "io/new_file.hpp"
#include "io/verify.hpp"
#include "kernels/crc32.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "transport/writer_lock.hpp"

namespace lq::io {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;
using State = FoundJournal::State;

std::vector<std::byte> as_vector(std::string_view text) {
  const base::Bytes bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() { testing::put_contents(path_, old_); }

  void append(transport::Transport& transport, bool commits = true) {
    const auto file = transport.open_write(path_);
    Appending appending(transport, *file, Sync::full, transport::WriterLock(path_));
    appending.write({{0, 2, as_vector("XY")}, {0, old_.size() - 1, as_vector("!and more")}});
    appending.write({{0, 3, as_vector("Z")}, {0, old_.size() + 20, as_vector("last")}});
    if (commits) appending.commit(new_.size());
  }

  std::string seen() const {
    const auto file = open_journaled(transport::posix(), path_);
    std::string text(static_cast<std::size_t>(file->size()), '?');
    text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
  std::string contents() const { return testing::contents(path_); }
  bool has_journal() const { return fs::exists(journal_path(path_)); }

  // Bytes behind the old end are nobody's.
  bool is_old(const std::string& text) const { return text.substr(0, old_.size()) == old_; }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "some.h5";
  const std::string old_ = "0123456789 and so on until the end.";
  const std::string new_ = "01XZ456789 and so on until the end!and more" + std::string(12, '\0') + "last";
};

TEST_F(JournalTest, WhatIsAppendedAndWhatChangesIsInTheFileAtTheEnd) {
  append(transport::posix());
  EXPECT_EQ(contents(), new_);
  EXPECT_FALSE(has_journal());
}

TEST_F(JournalTest, WhatIsNotCommittedLeavesNothing) {
  append(transport::posix(), false);
  EXPECT_EQ(contents(), old_);
  EXPECT_FALSE(has_journal());
}

TEST_F(JournalTest, WhatWaitsIsInTheFileAsItWillBe) {
  const auto file = transport::posix().open_write(path_);
  Appending appending(transport::posix(), *file, Sync::none, transport::WriterLock(path_));
  appending.write({{0, 2, as_vector("XY")}, {0, old_.size(), as_vector("...")}});
  std::string text(old_.size() + 3, '?');
  ASSERT_EQ(appending.file_so_far().read_at(0, std::as_writable_bytes(std::span(text))), text.size());
  EXPECT_EQ(text, "01XY456789 and so on until the end....");
  EXPECT_TRUE(is_old(contents()));
}

// Whatever the clock says: a change that leaves the time stamp as it was is seen by the bytes.
TEST_F(JournalTest, WhatWasReadIsToldFromWhatIsThereNow) {
  const std::shared_ptr<transport::File> file = transport::posix().open_read(path_);
  const JournalWatch watch(transport::posix(), *file);
  RememberedReads reads(file);
  std::vector<std::byte> some(5), behind(10);
  EXPECT_EQ(reads.read_at(3, some), 5U);
  EXPECT_EQ(reads.read_at(old_.size() - 4, behind), 4U);
  EXPECT_TRUE(watch.is_still_so(reads));

  const auto modified = file->identity().modified;
  const auto put = [&](std::uint64_t offset, std::string_view text) {
    const auto to = transport::posix().open_write(path_);
    to->write_at(offset, base::as_bytes(text));
    transport::posix().set_modified(path_, modified);
  };
  put(0, "ab");  // which nobody has read
  EXPECT_TRUE(watch.is_still_so(reads));
  put(7, "X");
  EXPECT_FALSE(watch.is_still_so(reads));
  put(7, "7");
  EXPECT_TRUE(watch.is_still_so(reads));
  put(old_.size(), "more");  // behind what was read
  EXPECT_TRUE(watch.is_still_so(reads));
  put(old_.size() - 1, "!");
  EXPECT_FALSE(watch.is_still_so(reads));
}

// Each look is a question to all servers of a parallel file system.
TEST_F(JournalTest, WhereNothingHappensAJournalIsLookedForOnce) {
  class Counting final : public transport::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    transport::PathKind kind(const std::string& path) override {
      ++looks;
      return ForwardingTransport::kind(path);
    }
    int looks = 0;
  } counting(transport::posix());
  const auto read = [&] {
    counting.looks = 0;
    const std::shared_ptr<transport::File> file = transport::posix().open_read(path_);
    std::vector<std::byte> some(5);
    read_undisturbed(counting, file, [&](transport::File& seen, const FoundJournal&) { seen.read_at(0, some); });
    return counting.looks;
  };
  constexpr std::int64_t minute = 60'000'000'000;
  EXPECT_EQ(read(), 2);  // the file is too young to tell
  transport::posix().set_modified(path_, transport::posix().identity(path_).modified - minute);
  EXPECT_EQ(read(), 1);
  // An append that begins meanwhile, and one that was interrupted before.
  const std::shared_ptr<transport::File> file = transport::posix().open_read(path_);
  int passes = 0;
  read_undisturbed(counting, file, [&](transport::File& seen, const FoundJournal&) {
    std::vector<std::byte> some(5);
    seen.read_at(0, some);
    if (passes++ == 0) append(transport::posix());
  });
  EXPECT_EQ(passes, 2);
}

TEST_F(JournalTest, EveryOperationMayFail) {
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k);
      testing::put_contents(path_, old_);
      testing::FaultyTransport transport(transport::posix(), k, fault);
      const Error error = error_of([&] { append(transport); });
      if (!transport.has_failed()) break;
      ASSERT_LT(k, 100);
      const std::string before = seen();
      EXPECT_TRUE(is_old(before) || before == new_) << before;
      if (error.code() == Code::ok) {
        EXPECT_EQ(before, new_);
      }
      recover(transport::posix(), path_, Sync::full, transport::WriterLock(path_));
      EXPECT_FALSE(has_journal());
      EXPECT_TRUE(contents() == old_ || contents() == new_) << contents();
      EXPECT_EQ(is_old(contents()), is_old(before));
    }
  }
}

TEST_F(JournalTest, EveryOperationMayBeTheLast) {
  int applied = 0, dropped = 0;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    testing::put_contents(path_, old_);
    const bool died = testing::dies_in([&] {
      testing::FaultyTransport transport(transport::posix(), k, Fault::kill);
      append(transport);
    });
    if (!died) break;
    ASSERT_LT(k, 100);
    const std::string before = seen();
    EXPECT_TRUE(is_old(before) || before == new_) << before;
    // A recovery that dies is recovered, too.
    for (std::int64_t j = 0; testing::dies_in([&] {
           testing::FaultyTransport transport(transport::posix(), j, Fault::kill);
           recover(transport, path_, Sync::full, transport::WriterLock(path_));
         });
         ++j) {
      ASSERT_LT(j, 100);
      EXPECT_EQ(is_old(seen()), is_old(before)) << j;
    }
    EXPECT_FALSE(has_journal());
    EXPECT_EQ(contents(), is_old(before) ? old_ : new_);
    ++(is_old(before) ? dropped : applied);
  }
  EXPECT_GT(applied, 2);
  EXPECT_GT(dropped, 5);
}

TEST_F(JournalTest, TheNextAppendRecoversFirst) {
  const bool died = testing::dies_in([&] {
    const auto file = transport::posix().open_write(path_);
    Appending appending(transport::posix(), *file, Sync::none, transport::WriterLock(path_));
    appending.write({{0, old_.size(), std::vector<std::byte>(1000)}});
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(died);
  EXPECT_GT(contents().size(), 1000U);
  append(transport::posix());
  EXPECT_EQ(contents(), new_);
}

class ForeignJournal : public JournalTest {
 protected:
  // As an append leaves it that dies before anything is applied.
  void leave(bool is_complete) {
    const auto file = transport::posix().open_read(path_);
    Journal journal;
    journal.bytes_before = old_.size();
    const bool died = testing::dies_in([&] {
      const auto kept = transport::posix().open_write(path_);
      Appending appending(transport::posix(), *kept, Sync::none, transport::WriterLock(path_));
      ::raise(SIGKILL);
    });
    ASSERT_TRUE(died);
    journal = decode_journal(base::as_bytes(testing::contents(journal_path(path_)))).value();
    if (!is_complete) return;
    journal.is_complete = true;
    journal.bytes_after = old_.size();
    journal.pieces = {{5, as_vector("567"), as_vector("abc")}};
    testing::put_contents(journal_path(path_), std::string(base::as_text(encode_journal(journal))));
  }
  State state() const { return find_journal(transport::posix(), *transport::posix().open_read(path_)).state; }
};

TEST_F(ForeignJournal, OfTheFileIsHeeded) {
  leave(true);
  EXPECT_EQ(state(), State::complete);
  EXPECT_EQ(seen().substr(0, 10), "01234abc89");
  EXPECT_EQ(finding_of(find_journal(transport::posix(), *transport::posix().open_read(path_)), path_)->rule,
            "journal-complete");
  fs::remove(journal_path(path_));
  leave(false);
  EXPECT_EQ(state(), State::interrupted);
  EXPECT_EQ(seen(), old_);
}

TEST_F(ForeignJournal, OfAnotherFileIsNot) {
  for (const bool is_complete : {true, false}) {
    testing::put_contents(path_, old_);
    leave(is_complete);
    const std::string other = "another file of the same length ...";
    ASSERT_EQ(other.size(), old_.size());
    testing::put_contents(path_, other);
    EXPECT_EQ(state(), State::foreign);
    EXPECT_EQ(seen(), other);
    EXPECT_EQ(recover(transport::posix(), path_, Sync::none, transport::WriterLock(path_)), State::foreign);
    EXPECT_EQ(contents(), other);
    EXPECT_FALSE(has_journal());
  }
}

// Else a new file that begins as the old one did would be cut where that ended.
TEST_F(ForeignJournal, IsGoneWithTheFileThatIsReplaced) {
  const auto replace = [&](bool overwrite) {
    NewFile file(transport::posix(), Communicator(), path_);
    file.create(overwrite, new_.size());
    file.file().write_at(0, base::as_bytes(old_ + "more"));
    file.finish(Sync::none);
    file.publish(Sync::none);
    EXPECT_FALSE(has_journal());
    EXPECT_EQ(seen(), old_ + "more");
  };
  leave(false);
  replace(true);
  testing::put_contents(path_, old_);
  leave(false);
  fs::remove(path_);
  replace(false);
}

TEST_F(ForeignJournal, OfALivingWriterIsNotTakenAway) {
  leave(false);
  const transport::WriterLock lock(path_);
  EXPECT_EQ(error_of([&] { settle_journal(transport::posix(), path_, Sync::none); }).code(), Code::io);
  EXPECT_TRUE(has_journal());
}

TEST_F(ForeignJournal, IsHeededByWhoAsksForHeaders) {
  const Extents sites{4, 4, 4, 4};
  const std::vector<double> links = testing::formula_sites<double>(Grid(sites), 72);
  const std::string field = directory_ / "conf.ildg";
  write(field, Grid(sites), gauge(links));
  const std::string whole = testing::contents(field);
  const std::size_t findings = broken_rules(field, {}).size(), lines = explain(field).size();
  Journal journal{.bytes_before = whole.size()};
  journal.start_crc = kernels::crc32(0, base::as_bytes(whole.substr(0, journal_start)));
  testing::put_contents(journal_path(field), std::string(base::as_text(encode_journal(journal))));
  testing::put_contents(field, whole + "half of a record");
  EXPECT_EQ(broken_rules(field, {}).size(), findings);
  EXPECT_EQ(explain(field).size(), lines);
}

TEST_F(ForeignJournal, OfAnotherStateIsNot) {
  leave(true);
  testing::put_contents(path_, old_ + "more");
  EXPECT_EQ(state(), State::foreign);
  testing::put_contents(path_, old_.substr(0, 20));
  EXPECT_EQ(state(), State::foreign);
  testing::put_contents(journal_path(path_), "anything");
  EXPECT_EQ(state(), State::foreign);
  EXPECT_EQ(finding_of(find_journal(transport::posix(), *transport::posix().open_read(path_)), path_)->rule,
            "journal-foreign");
}

}  // namespace
}  // namespace lq::io
