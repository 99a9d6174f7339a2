// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Folders of checkpoints: what is saved, kept, found again, marked and refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <limequat/checkpoints.hpp>
#include <limequat/inspect.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "kernels/crc32.hpp"
#include "support/checkpoint_contents.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/ordinary_user.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::Fault;
using testing::FaultyTransport;
using testing::has_contents_of_its_step;
using testing::StepContents;

const Extents lattice{4, 4, 2, 4};

class CheckpointFolders : public ::testing::Test {
 protected:
  static void save(Checkpoints& checkpoints, std::uint64_t step, const Communicator& ranks = {}) {
    const StepContents contents(ranks, lattice, step);
    checkpoints.save(step, contents.contents);
  }
  void save_all(const std::vector<std::uint64_t>& steps, const CheckpointsOptions& options = {}) const {
    Checkpoints checkpoints(folder_, {}, options);
    for (const std::uint64_t step : steps) save(checkpoints, step);
  }
  // -1: none.
  std::int64_t newest() const {
    Checkpoints checkpoints(folder_);
    const std::optional<Checkpoint> found = checkpoints.load_newest();
    if (!found) return -1;
    EXPECT_TRUE(has_contents_of_its_step(*found, {}, lattice));
    return static_cast<std::int64_t>(found->step());
  }
  std::vector<std::uint64_t> steps() const {
    std::vector<std::uint64_t> result;
    for (const CheckpointEntry& entry : list_checkpoints(folder_, {.verify = Verify::none}).entries) {
      result.push_back(entry.step);
    }
    return result;
  }
  std::string of(std::uint64_t step) const {
    for (const CheckpointEntry& entry : list_checkpoints(folder_, {.verify = Verify::none}).entries) {
      if (entry.step == step) return folder_ + "/" + entry.name;
    }
    throw std::runtime_error("no checkpoint of step " + std::to_string(step));
  }
  void damage(std::uint64_t step, const std::string& file = "field-0.scidac") const {
    std::fstream stream(of(step) + "/" + file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(100);
    const auto letter = static_cast<char>(stream.get() ^ 4);
    stream.seekp(100);
    stream.put(letter);
  }

  testing::ScratchDirectory directory_;
  std::string folder_ = directory_ / "run";
};

TEST_F(CheckpointFolders, GiveBackOnAnyNumberOfRanksWhatWasSaved) {
  std::uint64_t step = 0;
  for (const int writers : {1, 3, 4}) {
    ++step;
    testing::run_ranks(writers, [&](std::shared_ptr<comm::Comm> comm) {
      Checkpoints checkpoints(folder_, Communicator(comm));
      save(checkpoints, step, Communicator(comm));
    });
    for (const int readers : {1, 2, 5}) {
      testing::run_ranks(readers, [&](std::shared_ptr<comm::Comm> comm) {
        Checkpoints checkpoints(folder_, Communicator(comm));
        const std::optional<Checkpoint> found = checkpoints.load_newest();
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->step(), step);
        EXPECT_EQ(found->ranks(), writers);
        EXPECT_EQ(found->fields(), std::vector<std::string>{"u"});
        EXPECT_TRUE(has_contents_of_its_step(*found, Communicator(comm), lattice));
      });
    }
  }
}

TEST_F(CheckpointFolders, HoldOrdinaryFiles) {
  save_all({3});
  EXPECT_EQ(lq::verify(of(3) + "/field-0.scidac").verdict, Verdict::sound);
  EXPECT_TRUE(verify_multifile(of(3) + "/streams.sion").is_sound());
}

TEST_F(CheckpointFolders, SaveStateAlone) {
  Checkpoints checkpoints(folder_);
  EXPECT_FALSE(checkpoints.load_newest().has_value()) << "a job that begins";
  CheckpointContents contents;
  contents.state["seed"] = {std::byte{1}, std::byte{2}};
  checkpoints.save(5, contents);
  const std::optional<Checkpoint> found = checkpoints.load_newest();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->state(), contents.state);
  EXPECT_EQ(found->tasks(), 0);
  EXPECT_EQ(error_of([&] { (void)found->streams(); }).code(), Code::no_such_record);
}

TEST_F(CheckpointFolders, KeepTheNewestAndSomeForEver) {
  save_all({1, 2, 3, 4, 5, 6, 7}, {.keep = 2, .keep_every = 3});
  EXPECT_EQ(steps(), (std::vector<std::uint64_t>{7, 6, 3}));
}

TEST_F(CheckpointFolders, GoBackToTheOneBeforeADamagedOne) {
  for (const char* file : {"field-0.scidac", "streams.sion", "state", "checkpoint.lq"}) {
    save_all({10, 11});
    std::ofstream(of(11) + "/" + file, std::ios::app | std::ios::binary) << "x";
    EXPECT_EQ(newest(), 10) << file;
    fs::remove_all(folder_);
  }
}

TEST_F(CheckpointFolders, TryADamagedOneTwiceOverJobsAndThenLeaveItAlone) {
  save_all({10, 11});
  damage(11);
  for (int job = 0; job < 4; ++job) EXPECT_EQ(newest(), 10);
  const CheckpointList list = list_checkpoints(folder_);
  EXPECT_EQ(list.entries.front().state, CheckpointState::rejected);
  EXPECT_EQ(list.entries.front().problems.size(), 3U) << "two tries, and what is found now";
  damage(11);  // as it was
  EXPECT_EQ(newest(), 10) << "it is left alone";
  Checkpoints(folder_).forget_marks();
  EXPECT_EQ(newest(), 11);
}

TEST_F(CheckpointFolders, ForgetTheMarkOfOneThatIsRepaired) {
  save_all({10, 11});
  damage(11);
  EXPECT_EQ(newest(), 10);
  damage(11);
  EXPECT_EQ(newest(), 11);
  damage(11);
  EXPECT_EQ(newest(), 10);
  EXPECT_EQ(list_checkpoints(folder_).entries.front().state, CheckpointState::bad) << "one try, not two";
}

TEST_F(CheckpointFolders, SayOfEachWhyNoneIsValid) {
  save_all({10, 11});
  damage(10);
  fs::remove(of(11) + "/checkpoint.lq");
  const Error error = error_of([&] { newest(); });
  EXPECT_EQ(error.code(), Code::malformed);
  EXPECT_NE(std::string(error.what()).find("no manifest"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("CRC-32"), std::string::npos) << error.what();
  EXPECT_EQ(steps().size(), 2U) << "nothing was removed";
  save_all({12});
  EXPECT_EQ(newest(), 12);
}

// The one that is damaged unnoticed does not count among those that are kept.
TEST_F(CheckpointFolders, RemoveNothingBeforeWhatStaysIsProven) {
  save_all({1, 2});
  damage(2);
  save_all({3});
  damage(3);
  EXPECT_EQ(newest(), 1);
}

TEST_F(CheckpointFolders, GoByContentsAndNotByNamesOrDates) {
  save_all({1, 2});
  const std::string two = of(2);
  fs::rename(two, folder_ + "/a copy");
  fs::rename(of(1), folder_ + "/step-000000000099-0123abcd");
  fs::last_write_time(folder_ + "/a copy", fs::file_time_type::min() + std::chrono::hours(1000000));
  EXPECT_EQ(newest(), 2);
}

TEST_F(CheckpointFolders, LeaveThoseOfLaterVersionsAlone) {
  const std::string later = folder_ + "/step-000000000001-00000002";
  fs::create_directories(later);
  std::string text = "limequat-checkpoint 2\nsomething else\n";
  text += fmt::format("crc32 {:08x}\n", kernels::crc32(0, base::as_bytes(text)));
  std::ofstream(later + "/checkpoint.lq") << text;
  for (int job = 0; job < 3; ++job) {
    const Error error = error_of([&] { newest(); });
    EXPECT_NE(std::string(error.what()).find("version 2"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(later + "/tries.lq"));
  save_all({5, 6, 7});
  EXPECT_EQ(newest(), 7);
  EXPECT_TRUE(fs::exists(later));
}

TEST_F(CheckpointFolders, ReplaceTheSameStep) {
  save_all({1, 2});
  const std::string before = of(2);
  save_all({2});
  EXPECT_EQ(steps(), (std::vector<std::uint64_t>{2, 1}));
  EXPECT_NE(of(2), before);
}

TEST_F(CheckpointFolders, KeepASecondJobAway) {
  std::optional<Checkpoints> first(std::in_place, folder_);
  const Error error = error_of([&] { Checkpoints second(folder_); });
  EXPECT_EQ(error.code(), Code::wrong_state);
  EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())), std::string::npos) << error.what();
  save(*first, 1);
  EXPECT_FALSE(list_checkpoints(folder_).holder.empty());
  Checkpoints reading(folder_, {}, {.read_only = true});
  EXPECT_EQ(reading.load_newest()->step(), 1U);
  EXPECT_EQ(error_of([&] { save(reading, 2); }).code(), Code::wrong_state);
  first.reset();
  EXPECT_TRUE(list_checkpoints(folder_).holder.empty());
  EXPECT_NO_THROW(Checkpoints third(folder_));
}

TEST_F(CheckpointFolders, LeaveForeignFilesAloneAndRemoveWhatKilledJobsLeft) {
  save_all({1});
  fs::create_directory(folder_ + "/plots");
  std::ofstream(folder_ + "/notes.txt") << "mine";
  std::ofstream(of(1) + "/mine.txt") << "mine";
  const std::string left = folder_ + "/.step-000000000002-0123abcd.lq-new";
  fs::create_directory(left);
  std::ofstream(left + "/.streams.sion.00000000") << "half";
  CheckpointList list = list_checkpoints(folder_);
  EXPECT_EQ(list.entries.back().state, CheckpointState::leftover);
  EXPECT_EQ(list.foreign, (std::vector<std::string>{"notes.txt", "plots"}));
  save_all({2, 3});
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(folder_ + "/notes.txt"));
  EXPECT_TRUE(fs::exists(folder_ + "/plots"));
  list = list_checkpoints(folder_);
  ASSERT_EQ(list.entries.size(), 3U) << "a foreign file in the folder of a checkpoint stays";
  EXPECT_TRUE(fs::exists(folder_ + "/" + list.entries.back().name + "/mine.txt"));
}

TEST_F(CheckpointFolders, WriteInTheBackground) {
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator ranks(comm);
    Checkpoints checkpoints(folder_, ranks);
    std::optional<StepContents> one(std::in_place, ranks, lattice, 1);
    checkpoints.save_async(1, one->contents);
    while (!checkpoints.test()) ::usleep(1000);
    const StepContents two(ranks, lattice, 2);
    checkpoints.save_async(2, two.contents);  // completes the first
    const std::optional<CheckpointReport> report = checkpoints.wait();
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->step, 2U);
    EXPECT_FALSE(checkpoints.wait().has_value());
    const StepContents three(ranks, lattice, 3);
    checkpoints.save_async(3, three.contents);  // and given up
  });
  EXPECT_EQ(steps(), (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(newest(), 2);
}

TEST_F(CheckpointFolders, RefuseWhatRanksDoNotAgreeOn) {
  testing::run_ranks(2, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator ranks(comm);
    Checkpoints checkpoints(folder_, ranks);
    StepContents own(ranks, lattice, 1);
    own.contents.state["rng"] = {static_cast<std::byte>(ranks.rank())};
    EXPECT_EQ(error_of([&] { checkpoints.save(1, own.contents); }).code(), Code::ranks_disagree);
    const StepContents same(ranks, lattice, 1);
    EXPECT_EQ(error_of([&] { checkpoints.save(1 + static_cast<std::uint64_t>(ranks.rank()), same.contents); }).code(),
              Code::ranks_disagree);
    CheckpointContents wrong = same.contents;
    if (ranks.rank() == 1) wrong.fields.front().name = "a\nb";
    const Error error = error_of([&] { checkpoints.save(1, wrong); });
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_EQ(error.facts().rank, 1);
    checkpoints.save(1, same.contents);
  });
  EXPECT_EQ(newest(), 1);
}

TEST_F(CheckpointFolders, LeaveAloneWhatAProgramRejects) {
  save_all({1, 2});
  {
    Checkpoints checkpoints(folder_);
    checkpoints.reject(*checkpoints.load_newest(), "the plaquette is wrong");
  }
  Checkpoints checkpoints(folder_);
  const std::optional<Checkpoint> found = checkpoints.load_newest();
  EXPECT_EQ(found->step(), 1U);
  ASSERT_EQ(found->warnings().size(), 1U);
  EXPECT_NE(found->warnings().front().find("the plaquette is wrong"), std::string::npos);
}

TEST_F(CheckpointFolders, LackNoSpaceForWhatIsThere) {
  save_all({1});
  std::int64_t operations = 0;
  {
    FaultyTransport counting(storage::posix());
    const storage::Mount mount(folder_, counting);
    save_all({2});
    operations = counting.operations();
  }
  for (std::int64_t at = 0; at < operations; at += 3) {
    FaultyTransport faulty(storage::posix(), at, Fault::no_space);
    std::optional<storage::Mount> mount(std::in_place, folder_, faulty);
    const Code code = error_of([&] { save_all({3}); }).code();
    mount.reset();
    EXPECT_TRUE(code == Code::ok || code == Code::no_space || code == Code::io) << name(code) << " at " << at;
    const std::int64_t found = newest();
    EXPECT_TRUE(found == 3 || (found == 2 && code != Code::ok)) << found << " after " << name(code) << " at " << at;
    for (const CheckpointEntry& entry : list_checkpoints(folder_).entries) {
      EXPECT_EQ(entry.state, CheckpointState::valid) << entry.name << " at " << at;
    }
    save_all({3});  // it can be saved again
    fs::remove_all(of(3));
    save_all({1, 2}, {.keep = 3});
  }
}

TEST_F(CheckpointFolders, NeedAFolderAboveThem) {
  const Error error = error_of([&] { Checkpoints checkpoints(directory_ / "none/run"); });
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_EQ(error_of([&] { list_checkpoints(directory_ / "none"); }).code(), Code::not_found);
  std::ofstream(directory_ / "file") << "x";
  EXPECT_EQ(error_of([&] { Checkpoints checkpoints(directory_ / "file"); }).code(), Code::exists);
  EXPECT_EQ(error_of([&] { Checkpoints checkpoints(folder_, {}, {.keep = 0}); }).code(), Code::invalid_argument);
}

TEST_F(CheckpointFolders, LoadFromFoldersThatCannotBeWrittenTo) {
  ::chmod(directory_.path().c_str(), 0777);
  const testing::OrdinaryUser user;
  save_all({1});
  fs::remove(folder_ + "/.lq-checkpoints.lock");
  ::chmod(folder_.c_str(), 0555);
  EXPECT_EQ(newest(), 1);
  EXPECT_EQ(error_of([&] { save_all({2}); }).code(), Code::no_permission);
  ::chmod(folder_.c_str(), 0755);
  save_all({2});
  EXPECT_EQ(newest(), 2);
  fs::remove_all(folder_);
}

// Checkpoints on the nodes first.

class NodeLevels : public CheckpointFolders {
 protected:
  // Nodes of two ranks each have a folder of their own.
  CheckpointsOptions on_node(const Communicator& ranks) const {
    return {.local = directory_ / ("node" + std::to_string(ranks.rank() / 2))};
  }
  void on_ranks(int count, const std::function<void(const Communicator&)>& body) const {
    testing::run_ranks(count, [&](std::shared_ptr<comm::Comm> comm) { body(Communicator(comm)); });
  }
};

TEST_F(NodeLevels, AreCopiedWhileTheProgramComputes) {
  on_ranks(4, [&](const Communicator& ranks) {
    Checkpoints checkpoints(folder_, ranks, on_node(ranks));
    for (const std::uint64_t step : {1U, 2U, 3U}) {
      const StepContents contents(ranks, lattice, step);
      const CheckpointReport report = checkpoints.save(step, contents.contents);
      EXPECT_NE(report.path.find("/node"), std::string::npos);
    }
    EXPECT_EQ(checkpoints.wait()->step, 3U);
  });
  EXPECT_EQ(steps(), (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(newest(), 3);
}

// A job that ends before the copy was made: the parts are taken from the nodes.
TEST_F(NodeLevels, GiveBackWhatWasNotCopied) {
  on_ranks(4, [&](const Communicator& ranks) {
    Checkpoints checkpoints(folder_, ranks, on_node(ranks));
    for (const std::uint64_t step : {1U, 2U}) {
      const StepContents contents(ranks, lattice, step);
      checkpoints.save(step, contents.contents);
    }
  });
  EXPECT_EQ(newest(), 1) << "without the nodes";
  on_ranks(4, [&](const Communicator& ranks) {
    Checkpoints checkpoints(folder_, ranks, on_node(ranks));
    const std::optional<Checkpoint> found = checkpoints.load_newest();
    EXPECT_EQ(found->step(), 2U);
    EXPECT_TRUE(has_contents_of_its_step(*found, ranks, lattice));
  });
  EXPECT_EQ(newest(), 2) << "it is in the folder now";
}

// Where the disk of one node is full, those of the others go on holding what all of them have.
TEST_F(NodeLevels, HoldNothingOfASaveThatFailsOnOneRank) {
  const CheckpointsOptions one_node{.local = directory_ / "node"};
  const auto rank_folder = [&](int rank) {
    const fs::directory_entry id = *fs::directory_iterator(one_node.local);
    return id.path().string() + fmt::format("/rank-{:06}", rank);
  };
  const auto save_steps = [&](const std::vector<std::uint64_t>& all, std::atomic<bool>& is_full) {
    on_ranks(3, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, one_node);
      for (const std::uint64_t step : all) {
        const StepContents contents(ranks, lattice, step);
        ranks.barrier();
        is_full = step > 2;
        const Error error = error_of([&] { checkpoints.save(step, contents.contents); });
        EXPECT_EQ(error.code(), step > 2 ? Code::no_space : Code::ok) << error.what();
        ranks.barrier();
        is_full = false;
      }
    });
  };
  std::atomic<bool> is_full = false;
  save_steps({1, 2}, is_full);
  FaultyTransport disk(storage::posix(), -1, Fault::error, [&] {
    if (is_full) throw Error(Code::no_space, "the disk of a node is full");
  });
  {
    const storage::Mount mount(rank_folder(1), disk);
    save_steps({3, 4, 5}, is_full);
  }
  for (int rank = 0; rank < 3; ++rank) {
    std::set<std::string> there;
    for (const auto& entry : fs::directory_iterator(rank_folder(rank))) {
      const std::string name = entry.path().filename();
      if (name.starts_with("step-")) there.insert(name.substr(0, 17));
    }
    EXPECT_EQ(there.count("step-000000000002"), 1U) << "rank " << rank;
    EXPECT_LE(*there.rbegin(), "step-000000000002") << "rank " << rank;
  }
}

// A first save that is killed leaves nothing that a job could wait for; a lost one is an error.
TEST_F(NodeLevels, AreNoCheckpointIfTheirSaveWasInterrupted) {
  for (const bool was_complete : {false, true}) {
    on_ranks(4, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, on_node(ranks));
      const StepContents contents(ranks, lattice, 1);
      checkpoints.save(1, contents.contents);
    });
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / "node0")) {
      if (entry.path().filename() == "complete" && !was_complete) fs::remove(entry.path());
    }
    fs::remove_all(directory_ / "node1");
    on_ranks(4, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, on_node(ranks));
      const Error error = error_of([&] { EXPECT_FALSE(checkpoints.load_newest().has_value()); });
      EXPECT_EQ(error.code(), was_complete ? Code::malformed : Code::ok) << error.what();
    });
    for (const auto& entry : fs::directory_iterator(directory_ / "")) fs::remove_all(entry.path());
  }
}

// With more ranks than sites in a dimension some have none.
TEST_F(NodeLevels, ServeRanksWithoutSites) {
  const CheckpointsOptions one_node{.local = directory_ / "node"};
  for (const bool is_loading : {false, true}) {
    on_ranks(5, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, one_node);
      if (is_loading) {
        const std::optional<Checkpoint> found = checkpoints.load_newest();
        ASSERT_TRUE(found.has_value());
        EXPECT_TRUE(has_contents_of_its_step(*found, ranks, {4, 2, 2, 4}));
      } else {
        const StepContents contents(ranks, {4, 2, 2, 4}, 3);
        checkpoints.save(3, contents.contents);
      }
    });
  }
}

TEST_F(NodeLevels, ServeAnyNumberOfRanksThatSeeAllParts) {
  const CheckpointsOptions one_node{.local = directory_ / "node"};
  for (const int ranks_after : {1, 2, 5}) {
    fs::remove_all(folder_);
    on_ranks(3, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, one_node);
      const StepContents contents(ranks, lattice, 7);
      checkpoints.save(7, contents.contents);
    });
    EXPECT_EQ(newest(), -1);
    on_ranks(ranks_after, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, one_node);
      const std::optional<Checkpoint> found = checkpoints.load_newest();
      ASSERT_TRUE(found.has_value());
      EXPECT_EQ(found->step(), 7U);
      EXPECT_TRUE(has_contents_of_its_step(*found, ranks, lattice));
    });
  }
}

TEST_F(NodeLevels, AreNotNeededWhereTheirPartsAreLostOrDamaged) {
  for (const bool is_lost : {true, false}) {
    on_ranks(4, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, on_node(ranks));
      for (const std::uint64_t step : {1U, 2U}) {
        const StepContents contents(ranks, lattice, step);
        checkpoints.save(step, contents.contents);
      }
    });
    if (is_lost) fs::remove_all(directory_ / "node1");
    for (const auto& entry : fs::recursive_directory_iterator(directory_ / "node0")) {
      if (entry.path().filename() == "streams.sion" && !is_lost) fs::resize_file(entry.path(), 10);
    }
    on_ranks(4, [&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, on_node(ranks));
      const std::optional<Checkpoint> found = checkpoints.load_newest();
      EXPECT_EQ(found->step(), 1U);
      EXPECT_TRUE(has_contents_of_its_step(*found, ranks, lattice));
      EXPECT_FALSE(found->warnings().empty());
    });
    fs::remove_all(folder_);
  }
}

TEST_F(NodeLevels, DoNotBringBackWhatWasRejected) {
  const CheckpointsOptions one_node{.local = directory_ / "node"};
  Checkpoints checkpoints(folder_, {}, one_node);
  for (const std::uint64_t step : {1U, 2U}) {
    const StepContents contents({}, lattice, step);
    checkpoints.save(step, contents.contents);
  }
  const std::optional<Checkpoint> found = checkpoints.load_newest();
  EXPECT_EQ(found->step(), 2U);
  checkpoints.reject(*found, "diverged");
  EXPECT_EQ(checkpoints.load_newest()->step(), 1U);
}

// One that is damaged in the folder is had from the nodes again.
TEST_F(NodeLevels, ServeInThePlaceOfADamagedCopy) {
  const CheckpointsOptions one_node{.local = directory_ / "node"};
  {
    Checkpoints checkpoints(folder_, {}, one_node);
    for (const std::uint64_t step : {1U, 2U}) {
      const StepContents contents({}, lattice, step);
      checkpoints.save(step, contents.contents);
    }
    checkpoints.wait();
  }
  damage(2);
  Checkpoints checkpoints(folder_, {}, one_node);
  const std::optional<Checkpoint> found = checkpoints.load_newest();
  EXPECT_EQ(found->step(), 2U);
  EXPECT_TRUE(has_contents_of_its_step(*found, {}, lattice));
}

class ParityOnOtherNodes : public NodeLevels {
 protected:
  // Three nodes of two ranks; saved on the nodes alone, but for step 1.
  void save_two(int lost_nodes = 1) const {
    on_six_ranks([&](const Communicator& ranks) {
      CheckpointsOptions options = on_node(ranks);
      options.lost_nodes = lost_nodes;
      Checkpoints checkpoints(folder_, ranks, options);
      for (const std::uint64_t step : {1U, 2U}) {
        const StepContents contents(ranks, lattice, step);
        EXPECT_EQ(checkpoints.save(step, contents.contents).warnings, std::vector<std::string>());
      }
    });
    ASSERT_EQ(newest(), 1);
  }
  std::uint64_t loaded() const {
    std::atomic<std::uint64_t> step = 0;
    on_six_ranks([&](const Communicator& ranks) {
      Checkpoints checkpoints(folder_, ranks, on_node(ranks));
      const std::optional<Checkpoint> found = checkpoints.load_newest();
      ASSERT_TRUE(found.has_value());
      EXPECT_TRUE(has_contents_of_its_step(*found, ranks, lattice));
      if (ranks.is_root()) step = found->step();
    });
    return step;
  }
  void on_six_ranks(const std::function<void(const Communicator&)>& body) const {
    testing::run_ranks(6, [&](std::shared_ptr<comm::Comm> comm) { body(Communicator(comm)); }, {.ranks_per_node = 2});
  }
  std::string node(int number) const { return directory_ / ("node" + std::to_string(number)); }
  static void damage_all_below(const std::string& folder, const std::string& beginning) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string path = entry.path();
      if (!entry.is_regular_file() || path.find(beginning) == std::string::npos) continue;
      if (entry.path().filename() != "state" && entry.path().filename() != "parity") continue;
      std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).put('!');
    }
  }
};

TEST_F(ParityOnOtherNodes, ServeNewNodes) {
  for (const int lost : {0, 1, 2}) {
    for (const auto& entry : fs::directory_iterator(directory_ / "")) fs::remove_all(entry.path());
    save_two();
    fs::remove_all(node(lost));
    EXPECT_EQ(loaded(), 2U) << "node " << lost << " is a new one";
    EXPECT_EQ(newest(), 2);
  }
}

TEST_F(ParityOnOtherNodes, ServeInThePlaceOfDamagedParts) {
  save_two();
  damage_all_below(node(1), "/rank-");
  EXPECT_EQ(loaded(), 2U);
}

TEST_F(ParityOnOtherNodes, ServeAsManyLostNodesAsAskedFor) {
  for (const int kept : {0, 1, 2}) {
    for (const int lost_nodes : {1, 2}) {
      for (const auto& entry : fs::directory_iterator(directory_ / "")) fs::remove_all(entry.path());
      save_two(lost_nodes);
      for (const int number : {0, 1, 2}) {
        if (number != kept) fs::remove_all(node(number));
      }
      EXPECT_EQ(loaded(), lost_nodes == 2 ? 2U : 1U) << "of node " << kept << " alone";
    }
  }
}

// A damaged part, and damaged parity on another node: what is left is enough if two may be lost.
TEST_F(ParityOnOtherNodes, LeaveOutDamagedParity) {
  save_two(2);
  damage_all_below(node(1), "/rank-");
  damage_all_below(node(2), "/parity-");
  EXPECT_EQ(loaded(), 2U);
}

TEST_F(ParityOnOtherNodes, SayWhereFewerNodesMayBeLostThanAskedFor) {
  on_six_ranks([&](const Communicator& ranks) {
    CheckpointsOptions options = on_node(ranks);
    options.lost_nodes = 3;
    Checkpoints checkpoints(folder_, ranks, options);
    const StepContents contents(ranks, lattice, 1);
    const CheckpointReport report = checkpoints.save(1, contents.contents);
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings.front().find("the loss of 2 nodes of a group, expected 3"), std::string::npos)
        << report.warnings.front();
  });
}

TEST_F(ParityOnOtherNodes, IsNotWrittenIfNoNodeMayBeLost) {
  save_two(0);
  for (int number = 0; number < 3; ++number) {
    for (const auto& entry : fs::recursive_directory_iterator(node(number))) {
      EXPECT_EQ(entry.path().string().find("/parity-"), std::string::npos);
    }
  }
  fs::remove_all(node(1));
  EXPECT_EQ(loaded(), 1U);
}

TEST_F(ParityOnOtherNodes, DoNotBringBackWhatWasRejected) {
  on_six_ranks([&](const Communicator& ranks) {
    Checkpoints checkpoints(folder_, ranks, on_node(ranks));
    for (const std::uint64_t step : {1U, 2U}) {
      const StepContents contents(ranks, lattice, step);
      checkpoints.save(step, contents.contents);
    }
    const std::optional<Checkpoint> found = checkpoints.load_newest();
    EXPECT_EQ(found->step(), 2U);
    checkpoints.reject(*found, "diverged");
  });
  fs::remove_all(node(1));
  EXPECT_EQ(loaded(), 1U);
}

// As many saves as the ranks keep, and of three nodes half of the size of the parts.
TEST_F(ParityOnOtherNodes, IsAsSmallAsItCanBe) {
  on_six_ranks([&](const Communicator& ranks) {
    Checkpoints checkpoints(folder_, ranks, on_node(ranks));
    for (std::uint64_t step = 1; step < 6; ++step) {
      const StepContents contents(ranks, lattice, step);
      checkpoints.save(step, contents.contents);
    }
  });
  int entries = 0;
  std::uint64_t parity = 0, parts = 0;
  for (int number = 0; number < 3; ++number) {
    for (const auto& entry : fs::recursive_directory_iterator(node(number))) {
      const std::string path = entry.path();
      if (!entry.is_regular_file()) continue;
      const bool is_parity = path.find("/parity-") != std::string::npos;
      entries += entry.path().filename() == "parity" ? 1 : 0;
      if (path.find("/step-") != std::string::npos && entry.path().filename() != "checkpoint.lq")
        (is_parity ? parity : parts) += entry.file_size();
    }
  }
  EXPECT_EQ(entries, 12);
  EXPECT_NEAR(static_cast<double>(parity) / static_cast<double>(parts), 0.5, 0.1);
}

// What lies on a node is of one folder: another run does not take it for its own.
TEST_F(NodeLevels, KnowTheirFolder) {
  const CheckpointsOptions one_node{.local = directory_ / "node"};
  Checkpoints first(directory_ / "first", {}, one_node), second(directory_ / "second", {}, one_node);
  const StepContents contents({}, lattice, 9);
  first.save(9, contents.contents);
  EXPECT_FALSE(second.load_newest().has_value());
}

// The parity of a site is that in the whole lattice, functions are asked for sites of it.
TEST_F(NodeLevels, KeepMemoryOfAnyKind) {
  const Extents odd{3, 2, 2, 5};
  const auto run = [&](const Communicator& ranks, bool with_nodes, const std::string& folder) {
    const Grid grid(ranks, odd, {.processes = Extents{3, 1, 1, 1}});
    std::vector<double> memory(grid.local_volume() * 2);
    for (std::size_t k = 0; k < memory.size(); ++k)
      memory[k] = static_cast<double>(k) + 1000.0 * static_cast<double>(grid.local_box().lower[0]);
    Field by_parity = field_in(memory, generic_spec(Precision::double_, 2, false));
    by_parity.memory.parity = ParityOrder::even_first;
    const Field by_function = field_from<double, 1>(
        generic_spec(Precision::double_, 1, false), [](const Coord& x, std::span<double, 1> site) {
          site[0] = static_cast<double>(x[0] + 10 * x[1] + 100 * x[2] + 1000 * x[3]);
        });
    CheckpointsOptions options;
    if (with_nodes) options.local = directory_ / "node";
    Checkpoints checkpoints(folder, ranks, options);
    CheckpointContents contents;
    contents.fields = {{"parity", grid, by_parity}, {"function", grid, by_function}};
    checkpoints.save(1, contents);
    if (with_nodes) checkpoints.wait();
  };
  for (const bool with_nodes : {true, false}) {
    on_ranks(3, [&](const Communicator& ranks) { run(ranks, with_nodes, directory_ / (with_nodes ? "a" : "b")); });
  }
  Checkpoints a(directory_ / "a"), b(directory_ / "b");
  const std::optional<Checkpoint> one = a.load_newest(), other = b.load_newest();
  for (const char* name : {"parity", "function"}) {
    EXPECT_TRUE(diff(one->field_path(name), other->field_path(name)).same) << name;
  }
}

}  // namespace
}  // namespace lq
