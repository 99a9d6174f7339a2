// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "storage/profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <limequat/error.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

using storage::parse_profile;
using testing::error_of;
using testing::ScratchDirectory;

// Sets a variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

bool reads_profiles() {
  return error_of([] { parse_profile("", "x"); }).code() != Code::unsupported;
}

#define NEEDS_TOML() \
  if (!reads_profiles()) GTEST_SKIP() << "built without toml++"

Machine unusual_machine() {
  Machine machine;
  machine.name = "a \"quoted\" \\ name";
  machine.nodes = 9223372036854775807u;
  machine.copy_rate = 1.0 / 3.0;
  machine.pull_rate = 0;
  machine.latency = 1.2345678901234567e-6;
  machine.link_rate = 1e300;
  machine.sync_time = 0;
  machine.pull_permitted = false;
  machine.findings = {"locks: not supported",
                      "second, with # and ]\n\x01 and \xc3\xa4, \xef\xb7\xb7, \xf0\x9f\x8d\x8b"};
  machine.targets = {{"tape archive", {"/tape"}}, {"two \"\xc3\xa4\"", {"/a b", "/c"}}};
  return machine;
}

TEST(Profile, ReadsBackAsTheSameMachine) {
  NEEDS_TOML();
  const Machine written = unusual_machine();
  const Machine read = parse_profile(storage::profile_text(written), "x");
  EXPECT_EQ(read.name, written.name);
  EXPECT_EQ(read.nodes, written.nodes);
  EXPECT_EQ(read.copy_rate, written.copy_rate);
  EXPECT_EQ(read.pull_rate, 0);
  EXPECT_EQ(read.latency, written.latency);
  EXPECT_EQ(read.link_rate, written.link_rate);
  EXPECT_EQ(read.sync_time, 0);
  EXPECT_FALSE(read.pull_permitted);
  EXPECT_TRUE(read.shared_memory_permitted);
  EXPECT_EQ(read.findings, written.findings);
  EXPECT_EQ(read.targets, written.targets);
}

TEST(Profile, WithoutKeysIsTheDefault) {
  NEEDS_TOML();
  EXPECT_EQ(storage::profile_text(parse_profile("# nothing\n", "x")), storage::profile_text(Machine{}));
}

TEST(Profile, MayGiveRatesAsIntegers) {
  NEEDS_TOML();
  EXPECT_EQ(parse_profile("[storage]\nwrite_rate = 3_000_000_000\nwrite_call = 1e-6\n", "x").write_rate, 3e9);
}

TEST(Profile, ThatIsWrongNamesFileLineKeyAndRemedy) {
  NEEDS_TOML();
  // Text, and what the message must name.
  const std::map<std::string, std::vector<std::string>> wrong = {
      {"name = 3\n", {"line 1", "name", "text"}},
      {"\nnmae = \"x\"\n", {"line 2", "nmae", "unknown key", "expected name"}},
      {"[storage]\n\nwrite_rte = 1.0\n", {"line 3", "storage.write_rte", "expected storage.write_rate"}},
      {"[storage]\nwrite_rate = 0\n", {"line 2", "storage.write_rate", "positive"}},
      {"[storage]\nwrite_rate = -1.5\n", {"line 2", "storage.write_rate", "positive"}},
      {"[storage]\nwrite_rate = nan\n", {"line 2", "storage.write_rate", "positive"}},
      {"[storage]\nopen_time = inf\n", {"line 2", "storage.open_time", "not negative"}},
      {"[storage]\nopen_time = -0.1\n", {"line 2", "storage.open_time", "not negative"}},
      {"[storage]\nblock_bytes = -4096\n", {"line 2", "storage.block_bytes", "-4096"}},
      {"[storage]\nblock_bytes = 4096.0\n", {"line 2", "storage.block_bytes", "integer"}},
      {"[storage]\nblock_bytes = 0\n", {"line 2", "storage.block_bytes", "positive"}},
      {"[neighbours]\npull_permitted = 1\n", {"line 2", "neighbours.pull_permitted", "true or false"}},
      {"[doctor]\nfindings = [\"x\", 2]\n", {"line 2", "doctor.findings", "text"}},
      {"storage = 7\n", {"line 1", "storage", "section"}},
      {"[storage.more]\nx = 1\n", {"line 1", "storage.more", "unknown key"}},
      {"targets = 1\n", {"line 1", "targets", "section"}},
      {"[targets]\nx = 1\n", {"line 2", "targets.x", "something else"}},
      {"[targets]\nx = [\"a\", \"\"]\n", {"line 2", "targets.x", "no empty text"}},
      {"[targets]\nx = []\n", {"line 2", "targets.x", "a folder"}},
      {"[targets]\n\"x:y\" = \"a\"\n", {"line 2", "targets.x:y", "without colon"}},
      {"[unheard]\nx = 1\n", {"line 1", "unheard", "unknown key"}},
      {"name = \"x\nname = \"y\"\n", {"line 1", "not TOML"}},
      {"name = \"x\"\nname = \"y\"\n", {"line 2", "not TOML"}},
      {"[`stor", {"line 1", "not TOML"}},
      {"\n\xef\xb7\xb7name = 3", {"line 2", "not ASCII"}},
      {"name = \"\xff\"\n", {"line 1", "not ASCII"}},
      {"name = \"" + std::string(2000, 'x') + "\"\n", {"line 1", "name", "1000 bytes"}},
      {std::string(70000, '\n'), {"65536"}},
      {"[doctor]\nfindings = " + std::string(2000, '['), {"not TOML"}},
  };
  for (const auto& [text, words] : wrong) {
    const Error error = error_of([&given = text] { parse_profile(given, "site.toml"); });
    EXPECT_EQ(error.code(), Code::malformed) << text.substr(0, 80);
    EXPECT_EQ(error.facts().path, "site.toml");
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("lq doctor --save-profile"), std::string::npos) << sentence;
    for (const std::string& word : words) EXPECT_NE(sentence.find(word), std::string::npos) << sentence;
  }
}

TEST(Profile, IsReplacedAtOnceAndLeavesNothingBeside) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "config/limequat/site.toml";
  save_machine(path, Machine{});
  save_machine(path, unusual_machine());
  EXPECT_EQ(testing::contents(path), storage::profile_text(unusual_machine()));
  const std::filesystem::directory_iterator folder(scratch / "config/limequat");
  EXPECT_EQ(std::distance(begin(folder), end(folder)), 1);
}

TEST(Profile, ThatCannotBeWrittenKeepsTheOldOne) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "site.toml";
  std::filesystem::create_directory(path);  // a name that rename cannot replace
  EXPECT_NE(error_of([&] { save_machine(path, Machine{}); }).code(), Code::ok);
  const std::filesystem::directory_iterator folder(scratch.path());
  EXPECT_EQ(std::distance(begin(folder), end(folder)), 1);
}

TEST(Profile, OfNoMachineIsNotWritten) {
  const ScratchDirectory scratch;
  Machine machine;
  machine.read_rate = std::numeric_limits<double>::quiet_NaN();
  const Error error = error_of([&] { save_machine(scratch / "site.toml", machine); });
  EXPECT_EQ(error.code(), Code::invalid_argument);
  EXPECT_NE(std::string(error.what()).find("read_rate"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(scratch / "site.toml"));
}

TEST(Profile, AsJsonHasEveryKeyOnce) {
  Machine machine;
  machine.write_rate = 3e9;
  machine.findings = {"a \"b\""};
  const std::string json = to_json(machine);
  EXPECT_NE(json.find("\"write_rate\":3e+09,"), std::string::npos) << json;
  EXPECT_NE(json.find("\"findings\":[\"a \\\"b\\\"\"]"), std::string::npos) << json;
  for (const storage::Key& key : storage::profile_keys()) {
    std::string name("\"");
    name.append(key.name).append("\":");
    EXPECT_EQ(json.find(name), json.rfind(name)) << name;
    EXPECT_NE(json.find(name), std::string::npos) << name;
  }
}

TEST(Site, ProfileIsTakenFromTheVariable) {
  const ScratchDirectory scratch;
  Machine machine;
  machine.name = "mine";
  save_machine(scratch / "my.toml", machine);
  const Variable chosen("LQ_PROFILE", scratch / "my.toml");
  EXPECT_EQ(site_profile_path(), scratch / "my.toml");
  NEEDS_TOML();
  EXPECT_EQ(site_machine().name, "mine");
}

TEST(Site, ProfileAskedForMustBeThere) {
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", scratch / "none.toml");
  EXPECT_EQ(error_of([] { site_machine(); }).code(), Code::not_found);
}

TEST(Site, WithoutProfileHasTheDefaults) {
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", "");
  const Variable folder("XDG_CONFIG_HOME", scratch.path());
  EXPECT_EQ(site_profile_path(), scratch / "limequat/site.toml");
  EXPECT_EQ(site_machine().name, Machine{}.name);
}

// Nobody who writes a field fails for it.
TEST(Site, ProfileThatCannotBeUsedIsAWarning) {
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", "");
  const Variable folder("XDG_CONFIG_HOME", scratch.path());
  EXPECT_EQ(usable_site_machine().warning, "");
  Machine machine;
  machine.name = "mine";
  save_machine(site_profile_path(), machine);
  NEEDS_TOML();
  EXPECT_EQ(usable_site_machine().machine.name, "mine");
  std::ofstream(site_profile_path()) << "name = 7";
  EXPECT_NE(usable_site_machine().warning.find("site.toml"), std::string::npos);
  EXPECT_EQ(usable_site_machine().machine.name, Machine{}.name);
}

TEST(Site, ProfileThatIsNotThereThoughItWasAskedForIsAWarning) {
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", scratch / "none.toml");
  EXPECT_NE(usable_site_machine().warning.find("none.toml"), std::string::npos);
}

// Who names a profile wants that one.
TEST(Site, ProfileThatIsNamedIsTakenOrAnError) {
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", scratch / "none.toml");
  const std::string path = scratch / "other.toml";
  EXPECT_EQ(error_of([&] { usable_machine_of(path); }).code(), Code::not_found);
  EXPECT_NE(usable_machine_of("").warning.find("none.toml"), std::string::npos);
  Machine machine;
  machine.name = "other";
  save_machine(path, machine);
  NEEDS_TOML();
  EXPECT_EQ(usable_machine_of(path).machine.name, "other");
  EXPECT_EQ(machine_of(path).name, "other");
  std::ofstream(path) << "name = 7";
  EXPECT_EQ(error_of([&] { usable_machine_of(path); }).code(), Code::malformed);
}

TEST(Site, ProfileOfAnotherUserIsNotTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", "");
  const Variable folder("XDG_CONFIG_HOME", scratch.path());
  Machine machine;
  machine.name = "theirs";
  save_machine(site_profile_path(), machine);
  ASSERT_EQ(::chown(site_profile_path().c_str(), 65534, 65534), 0);
  EXPECT_NE(usable_site_machine().warning.find("another user"), std::string::npos);
  EXPECT_EQ(usable_site_machine().machine.name, Machine{}.name);
  NEEDS_TOML();
  const Variable named("LQ_PROFILE", site_profile_path());
  EXPECT_EQ(usable_site_machine().machine.name, "theirs");
  EXPECT_EQ(usable_site_machine().warning, "");
}

TEST(Site, ProfileLiesBelowTheHomeOfTheUser) {
  const ScratchDirectory scratch;
  const Variable chosen("LQ_PROFILE", "");
  const Variable folder("XDG_CONFIG_HOME", "");
  const Variable home("HOME", scratch.path());
  Machine machine;
  machine.name = "home";
  save_machine(site_profile_path(), machine);
  EXPECT_TRUE(std::filesystem::exists(scratch / ".config/limequat/site.toml"));
  EXPECT_EQ(site_machine().name, reads_profiles() ? "home" : Machine{}.name);
}

TEST(ShippedMachines, AreProfilesThatAnswerToTheirNames) {
  NEEDS_TOML();
  ASSERT_GE(storage::builtin_machines().size(), 3u);
  for (const storage::BuiltinMachine& one : storage::builtin_machines()) {
    const Machine described = machine_of(std::string(one.name));
    EXPECT_NE(described.name, Machine{}.name) << one.name;
    EXPECT_EQ(to_json(parse_profile(storage::profile_text(described), "again")), to_json(described)) << one.name;
  }
  EXPECT_EQ(machine_of("bluegene-p").cores_per_node, 4u);
}

TEST(ShippedMachines, ANameOfNobodyIsAskedAbout) {
  const Error error = error_of([] { machine_of("bluegene-q"); });
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_NE(std::string(error.what()).find("alice-pvfs, bluegene-p, frontier-like, jaguar-xt4, jugene"),
            std::string::npos)
      << error.what();
}

TEST(ShippedMachines, AFileOfTheNameComesFirst) {
  NEEDS_TOML();
  const ScratchDirectory scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  std::ofstream("bluegene-p") << "name = \"mine\"\n";
  EXPECT_EQ(machine_of("bluegene-p").name, "mine");
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace lq
