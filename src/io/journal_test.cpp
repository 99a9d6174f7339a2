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

#include "io/new_file.hpp"
#include "io/verify.hpp"
#include "kernels/crc32.hpp"
#include "storage/owners.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"

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

  void append(storage::Transport& transport, bool commits = true) {
    const auto file = transport.open_write(path_);
    Appending appending(transport, *file, Sync::full, storage::WriterLock(path_));
    appending.write({{0, 2, as_vector("XY")}, {0, old_.size() - 1, as_vector("!and more")}});
    appending.write({{0, 3, as_vector("Z")}, {0, old_.size() + 20, as_vector("last")}});
    if (commits) appending.commit(new_.size());
  }

  std::string seen() const {
    const auto file = open_journaled(storage::posix(), path_);
    std::string text(static_cast<std::size_t>(file->size()), '?');
    text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
  std::string contents() const { return testing::contents(path_); }
  bool has_journal() const { return fs::exists(journal_path(path_)); }

  // Bytes after the old end are nobody's.
  bool is_old(const std::string& text) const { return text.substr(0, old_.size()) == old_; }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "some.h5";
  const std::string old_ = "0123456789 and so on until the end.";
  const std::string new_ = "01XZ456789 and so on until the end!and more" + std::string(12, '\0') + "last";
};

TEST_F(JournalTest, WhatIsAppendedAndWhatChangesIsInTheFileAtTheEnd) {
  append(storage::posix());
  EXPECT_EQ(contents(), new_);
  EXPECT_FALSE(has_journal());
}

TEST_F(JournalTest, WhatIsNotCommittedLeavesNothing) {
  append(storage::posix(), false);
  EXPECT_EQ(contents(), old_);
  EXPECT_FALSE(has_journal());
}

TEST_F(JournalTest, WhatWaitsIsInTheFileAsItWillBe) {
  const auto file = storage::posix().open_write(path_);
  Appending appending(storage::posix(), *file, Sync::none, storage::WriterLock(path_));
  appending.write({{0, 2, as_vector("XY")}, {0, old_.size(), as_vector("...")}});
  std::string text(old_.size() + 3, '?');
  ASSERT_EQ(appending.file_so_far().read_at(0, std::as_writable_bytes(std::span(text))), text.size());
  EXPECT_EQ(text, "01XY456789 and so on until the end....");
  EXPECT_TRUE(is_old(contents()));
}

// Whatever the clock says: a change that leaves the time stamp as it was is seen by the bytes.
TEST_F(JournalTest, WhatWasReadIsToldFromWhatIsThereNow) {
  const std::shared_ptr<storage::File> file = storage::posix().open_read(path_);
  const JournalWatch watch(storage::posix(), *file);
  RememberedReads reads(file);
  std::vector<std::byte> some(5), behind(10);
  EXPECT_EQ(reads.read_at(3, some), 5U);
  EXPECT_EQ(reads.read_at(old_.size() - 4, behind), 4U);
  EXPECT_TRUE(watch.is_still_so(reads));

  const auto modified = file->identity().modified;
  const auto put = [&](std::uint64_t offset, std::string_view text) {
    const auto to = storage::posix().open_write(path_);
    to->write_at(offset, base::as_bytes(text));
    storage::posix().set_modified(path_, modified);
  };
  put(0, "ab");  // which nobody has read
  EXPECT_TRUE(watch.is_still_so(reads));
  put(7, "X");
  EXPECT_FALSE(watch.is_still_so(reads));
  put(7, "7");
  EXPECT_TRUE(watch.is_still_so(reads));
  put(old_.size(), "more");  // after what was read
  EXPECT_TRUE(watch.is_still_so(reads));
  put(old_.size() - 1, "!");
  EXPECT_FALSE(watch.is_still_so(reads));
}

// Each look is a question to all servers of a parallel file system.
TEST_F(JournalTest, WhereNothingHappensAJournalIsLookedForOnce) {
  class Counting final : public storage::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    storage::PathKind kind(const std::string& path) override {
      ++looks;
      return ForwardingTransport::kind(path);
    }
    int looks = 0;
  } counting(storage::posix());
  const auto read = [&] {
    counting.looks = 0;
    const std::shared_ptr<storage::File> file = storage::posix().open_read(path_);
    std::vector<std::byte> some(5);
    read_undisturbed(counting, file, [&](storage::File& seen, const FoundJournal&) { seen.read_at(0, some); });
    return counting.looks;
  };
  constexpr std::int64_t minute = 60'000'000'000;
  EXPECT_EQ(read(), 4);  // by both names, twice: the file is too young to tell
  storage::posix().set_modified(path_, storage::posix().identity(path_).modified - minute);
  EXPECT_EQ(read(), 2);
  // An append that begins meanwhile, and one that was interrupted before.
  const std::shared_ptr<storage::File> file = storage::posix().open_read(path_);
  int passes = 0;
  read_undisturbed(counting, file, [&](storage::File& seen, const FoundJournal&) {
    std::vector<std::byte> some(5);
    seen.read_at(0, some);
    if (passes++ == 0) append(storage::posix());
  });
  EXPECT_EQ(passes, 2);
}

TEST_F(JournalTest, EveryOperationMayFail) {
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k);
      testing::put_contents(path_, old_);
      testing::FaultyTransport transport(storage::posix(), k, fault);
      const Error error = error_of([&] { append(transport); });
      if (!transport.has_failed()) break;
      ASSERT_LT(k, 100);
      const std::string before = seen();
      EXPECT_TRUE(is_old(before) || before == new_) << before;
      if (error.code() == Code::ok) {
        EXPECT_EQ(before, new_);
      }
      recover(storage::posix(), path_, Sync::full, storage::WriterLock(path_));
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
      testing::FaultyTransport transport(storage::posix(), k, Fault::kill);
      append(transport);
    });
    if (!died) break;
    ASSERT_LT(k, 100);
    const std::string before = seen();
    EXPECT_TRUE(is_old(before) || before == new_) << before;
    // A recovery that dies is recovered, too.
    for (std::int64_t j = 0; testing::dies_in([&] {
           testing::FaultyTransport transport(storage::posix(), j, Fault::kill);
           recover(transport, path_, Sync::full, storage::WriterLock(path_));
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
    const auto file = storage::posix().open_write(path_);
    Appending appending(storage::posix(), *file, Sync::none, storage::WriterLock(path_));
    appending.write({{0, old_.size(), std::vector<std::byte>(1000)}});
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(died);
  EXPECT_GT(contents().size(), 1000U);
  append(storage::posix());
  EXPECT_EQ(contents(), new_);
}

class ForeignJournal : public JournalTest {
 protected:
  // As an append leaves it that dies before anything is applied.
  void leave(bool is_complete) {
    const auto file = storage::posix().open_read(path_);
    Journal journal;
    journal.bytes_before = old_.size();
    const bool died = testing::dies_in([&] {
      const auto kept = storage::posix().open_write(path_);
      Appending appending(storage::posix(), *kept, Sync::none, storage::WriterLock(path_));
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
  State state() const { return find_journal(storage::posix(), *storage::posix().open_read(path_)).state; }
};

TEST_F(ForeignJournal, OfTheFileIsHeeded) {
  leave(true);
  EXPECT_EQ(state(), State::complete);
  EXPECT_EQ(seen().substr(0, 10), "01234abc89");
  EXPECT_EQ(finding_of(find_journal(storage::posix(), *storage::posix().open_read(path_)), path_)->rule,
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
    EXPECT_EQ(recover(storage::posix(), path_, Sync::none, storage::WriterLock(path_)), State::foreign);
    EXPECT_EQ(contents(), other);
    EXPECT_FALSE(has_journal());
  }
}

// Else a new file that begins as the old one did would be cut where that ended.
TEST_F(ForeignJournal, IsGoneWithTheFileThatIsReplaced) {
  const auto replace = [&](bool overwrite) {
    NewFile file(storage::posix(), Communicator(), path_);
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
  const storage::WriterLock lock(path_);
  EXPECT_EQ(error_of([&] { settle_journal(storage::posix(), path_, Sync::none); }).code(), Code::io);
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
  EXPECT_EQ(finding_of(find_journal(storage::posix(), *storage::posix().open_read(path_)), path_)->rule,
            "journal-foreign");
}

// The file has several names, and one journal.
class JournalOfAlias : public JournalTest {
 protected:
  std::string older(const std::string& path) const { return path + ".lq-journal"; }
  // As an append by this name leaves it whose k-th operation is the last; false: there are fewer.
  bool die_at(const std::string& path, std::int64_t k) {
    return testing::dies_in([&] {
      testing::FaultyTransport transport(storage::posix(), k, Fault::kill);
      append(transport, path);
    });
  }
  void append(storage::Transport& transport, const std::string& path) {
    const auto file = transport.open_write(path);
    Appending appending(transport, *file, Sync::full, storage::WriterLock(path));
    appending.write({{0, 2, as_vector("XZ")}, {0, old_.size() - 1, as_vector("!and more")}});
    appending.commit(old_.size() + 8);
  }
  std::string seen_by(const std::string& path) const {
    const auto file = open_journaled(storage::posix(), path);
    std::string text(static_cast<std::size_t>(file->size()), '?');
    text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
};

TEST_F(JournalOfAlias, LiesBesideTheFileWhateverLinkWasOpened) {
  fs::create_directories(directory_ / "far/away");
  const std::vector<std::string> links{directory_ / "link", directory_ / "far/away/absolute", directory_ / "far/chain"};
  fs::create_symlink("some.h5", links[0]);
  fs::create_symlink(path_, links[1]);
  fs::create_symlink("away/absolute", links[2]);
  for (const std::string& link : links) {
    EXPECT_EQ(journal_path(link), directory_ / ".some.h5.lq-journal");
    int journals = 0;
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << link << ", operation " << k);
      testing::put_contents(path_, old_);
      if (!die_at(link, k)) break;
      ASSERT_LT(k, 100);
      journals += has_journal() ? 1 : 0;
      EXPECT_EQ(seen_by(link), seen());
      for (const std::string& other : links) EXPECT_EQ(seen_by(other), seen());
      recover(storage::posix(), path_, Sync::none, storage::WriterLock(path_));
    }
    EXPECT_GT(journals, 5);
  }
}

TEST_F(JournalOfAlias, ALinkThatLeadsNowhereOrInCirclesIsAName) {
  fs::create_symlink("circle", directory_ / "circle");
  EXPECT_EQ(journal_path(directory_ / "circle"), directory_ / ".circle.lq-journal");
  fs::create_symlink("nothing", directory_ / "lost");
  EXPECT_EQ(journal_path(directory_ / "lost"), directory_ / ".nothing.lq-journal");
}

TEST_F(JournalOfAlias, AFileWithSeveralNamesIsNotAppendedTo) {
  fs::create_hard_link(path_, directory_ / "other");
  const Error refused = error_of([&] { append(storage::posix(), path_); });
  EXPECT_EQ(refused.code(), Code::unsupported);
  EXPECT_NE(std::string(refused.what()).find("2 names"), std::string::npos) << refused.what();
  EXPECT_EQ(contents(), old_);
  EXPECT_FALSE(has_journal());
  fs::remove(directory_ / "other");
  append(storage::posix(), path_);
  EXPECT_NE(contents(), old_);
}

// "NAME.lq-journal", also of a link.
TEST_F(JournalOfAlias, WhatEarlierVersionsCalledItIsHeeded) {
  const std::string link = directory_ / "link";
  fs::create_symlink("some.h5", link);
  for (const std::string& name : {older(path_), older(link)}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << name << ", operation " << k);
      testing::put_contents(path_, old_);
      if (!die_at(path_, k)) break;
      if (!has_journal()) continue;
      const std::string before = seen();
      fs::rename(journal_path(path_), name);
      EXPECT_EQ(seen_by(link), before);
      EXPECT_EQ(error_of([&] { require_no_journal(storage::posix(), link); }).code(), Code::wrong_state);
      // Another one that belongs to nothing does not hide it.
      testing::put_contents(journal_path(path_), "anything");
      EXPECT_EQ(seen_by(link), before);
      recover(storage::posix(), link, Sync::full, storage::WriterLock(link));
      EXPECT_EQ(contents(), before);
      EXPECT_FALSE(fs::exists(name) || has_journal());
    }
  }
}

TEST_F(JournalOfAlias, ALinkThatIsReplacedTakesNoJournalWithIt) {
  const std::string link = directory_ / "link";
  fs::create_symlink("some.h5", link);
  for (const std::string& stale : {directory_ / ".link.lq-journal", older(link)}) testing::put_contents(stale, "stale");
  NewFile file(storage::posix(), Communicator(), link);
  file.create(true, 4);
  file.file().write_at(0, base::as_bytes(std::string_view("new.")));
  file.finish(Sync::none);
  file.publish(Sync::none);
  EXPECT_EQ(testing::contents(link), "new.");
  EXPECT_EQ(contents(), old_);
  EXPECT_FALSE(fs::exists(directory_ / ".link.lq-journal") || fs::exists(older(link)));
}

TEST_F(JournalOfAlias, OfALongNameIsItsOwn) {
  for (const std::size_t bytes : {243U, 244U, 250U, 255U}) {
    const std::string one = directory_ / (std::string(bytes - 3, 'n') + ".h5");
    const std::string other = directory_ / (std::string(bytes - 3, 'n') + ".h6");
    EXPECT_NE(journal_path(one), journal_path(other));
    EXPECT_EQ(has_cut_journal(one), bytes > 243);
    EXPECT_LE(fs::path(journal_path(one)).filename().string().size(), 255U);
    for (const std::string& path : {one, other}) testing::put_contents(path, old_);
    ASSERT_TRUE(die_at(one, 8));
    EXPECT_TRUE(fs::exists(journal_path(one)));
    EXPECT_EQ(seen_by(other), old_);
    append(storage::posix(), one);
    EXPECT_EQ(seen_by(one).substr(0, 4), "01XZ");
    EXPECT_FALSE(fs::exists(journal_path(one)));
  }
}

// A server that holds a name is away: what is asked of it by that name is not there. Open files go on.
class Away final : public storage::ForwardingTransport {
 public:
  Away(std::string name, std::int64_t after)
      : ForwardingTransport(storage::posix()), name_(std::move(name)), after_(after) {}
  bool was_asked() const noexcept { return asked_; }

  std::unique_ptr<storage::File> open_read(const std::string& path) override {
    return require(path), ForwardingTransport::open_read(path);
  }
  std::unique_ptr<storage::File> open_write(const std::string& path) override {
    return require(path), ForwardingTransport::open_write(path);
  }
  storage::PathKind kind(const std::string& path) override {
    return is_away(path) ? storage::PathKind::absent : ForwardingTransport::kind(path);
  }
  storage::Identity identity(const std::string& path) override {
    return require(path), ForwardingTransport::identity(path);
  }
  void remove(const std::string& path) override { require(path), ForwardingTransport::remove(path); }
  void copy_permissions(const std::string& from, const std::string& to) override {
    require(from), require(to), ForwardingTransport::copy_permissions(from, to);
  }

 private:
  bool is_away(const std::string& path) {
    if (path != name_ || after_-- > 0) return false;
    return asked_ = true;
  }
  void require(const std::string& path) {
    if (is_away(path))
      throw Error(Code::not_found, path + ": cannot find it: No such file or directory", {.path = path});
  }

  const std::string name_;
  std::int64_t after_;
  bool asked_ = false;
};

TEST_F(JournalTest, AServerThatIsAwayIsNoOtherWriterAndLosesNothing) {
  for (const std::string& name : {path_, journal_path(path_)}) {
    int failures = 0;
    for (std::int64_t after = 0;; ++after) {
      SCOPED_TRACE(::testing::Message() << name << " is away after " << after);
      ASSERT_LT(after, 100);
      testing::put_contents(path_, old_);
      const storage::WriterLock lock(path_);
      // What an append before left: it is recovered by this one.
      ASSERT_TRUE(testing::dies_in([&] {
        const auto file = storage::posix().open_write(path_);
        Appending appending(storage::posix(), *file, Sync::none, lock);
        appending.write({{0, old_.size(), std::vector<std::byte>(100)}});
        ::raise(SIGKILL);
      }));
      const auto file = storage::posix().open_write(path_);
      Away away(name, after);
      const Error error = error_of([&] {
        Appending appending(away, *file, Sync::full, lock);
        appending.write({{0, 2, as_vector("XY")}, {0, old_.size() - 1, as_vector("!and more")}});
        appending.write({{0, 3, as_vector("Z")}, {0, old_.size() + 20, as_vector("last")}});
        appending.commit(new_.size());
      });
      if (!away.was_asked()) break;
      if (error.code() != Code::ok) {
        ++failures;
        EXPECT_EQ(error.code(), Code::io) << error.what();
        EXPECT_NE(std::string(error.what()).find("server"), std::string::npos) << error.what();
      }
      const std::string now = seen();
      EXPECT_TRUE(is_old(now) || now == new_) << now;
      recover(storage::posix(), path_, Sync::none, lock);
      EXPECT_FALSE(has_journal());
      EXPECT_TRUE(contents() == old_ || contents() == new_) << contents();
    }
    EXPECT_GT(failures, 0);
  }
}

// Journals that are complete before anybody changes the first bytes are not applied to another file.
TEST_F(JournalTest, WhoChangesTheBeginningMeanwhileIsNoticed) {
  const auto file = storage::posix().open_write(path_);
  Appending appending(storage::posix(), *file, Sync::none, storage::WriterLock(path_));
  appending.write({{0, old_.size(), as_vector("more")}});
  const std::string changed = "another program";
  storage::posix().open_write(path_)->write_at(0, base::as_bytes(changed));
  const Error error = error_of([&] { appending.commit(old_.size() + 4); });
  EXPECT_EQ(error.code(), Code::io);
  EXPECT_NE(std::string(error.what()).find("another program changed the file"), std::string::npos) << error.what();
  EXPECT_EQ(contents().substr(0, changed.size()), changed);
}

}  // namespace
}  // namespace lq::io
