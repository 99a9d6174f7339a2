// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <limequat/error.hpp>
#include <limequat/limequat.hpp>

#include <fstream>
#include <mutex>
#include <tuple>

#include "base/text.hpp"
#include "kernels/crc32.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

using testing::contents;
using testing::error_of;
using testing::files_in;
using testing::put_contents;
using testing::run_ranks;
using testing::ScratchDirectory;

class Squeezing : public ::testing::Test {
 protected:
  // A gauge field of the generator, in whatever format.
  void write_conf(const std::string& path, const Extents& extents, WriteOptions options = {}) {
    const Grid grid(extents);
    std::vector<double> links(grid.local_volume() * 72);
    const MutableField field{.spec = gauge_spec(Precision::double_), .data = links.data(), .available = links.size()};
    generate(grid, field, {.sweeps = 2, .hot_start = true});
    options.sync = Sync::none;
    options.overwrite = true;
    write(path, grid, field, options);
  }

  static std::vector<double> read_links(const std::string& path, const Extents& extents) {
    const Grid grid(extents);
    std::vector<double> links(grid.local_volume() * 72);
    read(path, grid,
         MutableField{.spec = gauge_spec(Precision::double_), .data = links.data(), .available = links.size()});
    return links;
  }

  ScratchDirectory scratch_;
  const std::string archive_ = scratch_ / "conf.sqz", back_ = scratch_ / "back";
  const Extents extents_{8, 4, 4, 6};
};

TEST_F(Squeezing, RestoresFilesOfEveryFormatByteForByteOnAnyNumberOfRanks) {
  for (const char* const name : {"conf.ildg", "conf.scidac", "conf.nersc", "conf.milc", "conf.openqcd"}) {
    const std::string path = scratch_ / name;
    WriteOptions options;
    options.format = std::string(name).substr(5);
    options.precision = options.format == "milc" ? Precision::single : Precision::double_;
    write_conf(path, extents_, options);
    const std::string original = contents(path);
    std::string first;
    for (const int ranks : {1, 2, 5}) {
      run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
        const SqueezeReport report = squeeze(path, archive_, Communicator(comm), {.overwrite = true});
        EXPECT_EQ(report.original_bytes, original.size());
        unsqueeze(archive_, back_, Communicator(comm), {.verify = Verify::read_back, .overwrite = true});
      });
      EXPECT_TRUE(contents(back_) == original) << name << " on " << ranks;
      EXPECT_LT(contents(archive_).size(), original.size() * 48 / 100) << name;
      if (first.empty()) first = contents(archive_);
      EXPECT_TRUE(contents(archive_) == first) << "an archive depends on the number of ranks";
    }
    EXPECT_TRUE(read_links(archive_, extents_) == read_links(path, extents_)) << name;
  }
}

// Archives of version 1, made before there was another one, with links that are stored unchanged and exponents that
// stand elsewhere; the sums are those of their originals.
TEST_F(Squeezing, ArchivesOfTheFirstVersionAreRestored) {
  const std::string folder = LQ_SOURCE_DIR "/tests/golden/good/squeezed/";
  for (const auto& [name, bytes, crc] : {std::tuple("version1_double.sqz", 21328U, 810739714U),
                                         std::tuple("version1_single.sqz", 12112U, 1642521455U)}) {
    const std::string archive = contents(folder + name);
    EXPECT_NE(archive.find("<version>1</version>"), std::string::npos);
    unsqueeze(folder + name, back_, Communicator(), {.overwrite = true});
    const std::string original = contents(back_);
    EXPECT_EQ(original.size(), bytes);
    EXPECT_EQ(kernels::crc32(0, base::as_bytes(original)), crc) << name;
  }
}

// Whatever of them is damaged: the original, or an error.
TEST_F(Squeezing, DamagedArchivesOfTheFirstVersionGiveTheOriginalOrAnError) {
  const std::string path = std::string(LQ_SOURCE_DIR) + "/tests/golden/good/squeezed/version1_double.sqz";
  const std::string archive = contents(path);
  unsqueeze(path, back_);
  const std::string original = contents(back_);
  for (std::size_t at = 200; at < archive.size(); at += 1 + archive.size() / 120) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    put_contents(archive_, damaged);
    try {
      unsqueeze(archive_, back_, {}, {.overwrite = true});
      EXPECT_TRUE(contents(back_) == original) << at;
    } catch (const Error&) {
      EXPECT_TRUE(contents(back_) == original) << at << ": what was there stays";
    }
  }
}

TEST_F(Squeezing, NewArchivesStateTheirVersionAndOthersAreRefused) {
  write_conf(scratch_ / "conf.ildg", extents_);
  squeeze(scratch_ / "conf.ildg", archive_);
  std::string archive = contents(archive_);
  const std::size_t at = archive.find("<version>3</version>");
  ASSERT_NE(at, std::string::npos);
  archive[at + 9] = '4';
  put_contents(archive_, archive);
  EXPECT_EQ(error_of([&] { unsqueeze(archive_, back_); }).code(), Code::unsupported);
}

TEST_F(Squeezing, AnArchiveIsReadLikeItsOriginalOnAnyGrid) {
  const std::string path = scratch_ / "conf.ildg";
  write_conf(path, extents_);
  squeeze(path, archive_);
  const Catalog original = inspect(path), archive = inspect(archive_);
  EXPECT_EQ(archive.format, "squeezed");
  ASSERT_EQ(archive.fields.size(), 1U);
  EXPECT_EQ(archive.fields[0].name, original.fields[0].name);
  EXPECT_EQ(archive.fields[0].sums, original.fields[0].sums);
  const std::vector<double> all = read_links(path, extents_);
  for (const Extents& processes : {Extents{2, 2, 1, 1}, Extents{1, 1, 1, 3}}) {
    const int ranks = static_cast<int>(processes[0] * processes[1] * processes[2] * processes[3]);
    std::mutex mutex;
    std::size_t sites = 0;
    run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
      const Grid grid(Communicator(comm), extents_, {.processes = processes});
      std::vector<double> links(grid.local_volume() * 72);
      const Report report =
          read(archive_, grid,
               MutableField{.spec = gauge_spec(Precision::double_), .data = links.data(), .available = links.size()});
      EXPECT_EQ(report.status, ChecksumStatus::ok);
      const std::lock_guard lock(mutex);
      sites += links.size() / 72;
    });
    EXPECT_EQ(sites, all.size() / 72);
  }
  EXPECT_TRUE(verify(archive_).ok);
}

TEST_F(Squeezing, AFieldIsWrittenIntoAnArchiveAtOnce) {
  const std::string path = scratch_ / "conf.ildg";
  write_conf(path, extents_);
  write_conf(archive_, extents_);
  unsqueeze(archive_, back_);
  EXPECT_TRUE(contents(back_) == contents(path));
  const std::string converted = scratch_ / "converted.sqz";
  convert(path, converted);
  EXPECT_TRUE(read_links(converted, extents_) == read_links(path, extents_));
}

// Blocks of openQCD, its local files, and the volumes of SciDAC: all files come back, by whichever the set was named.
TEST_F(Squeezing, ASetOfFilesBecomesOneArchive) {
  const Extents processes{2, 1, 1, 2};
  struct Set {
    std::string name, format, layout, asked;
    std::vector<std::string> suffixes;
  };
  const std::vector<Set> sets{
      {"run", "openqcd", "", "run_b1", {"_b0", "_b1", "_b2", "_b3"}},
      {"loc", "openqcd", "local", "loc_3", {"_0", "_1", "_2", "_3"}},
      {"vol.lime", "scidac", "", "vol.lime.vol0000", {".vol0000", ".vol0001", ".vol0002", ".vol0003"}}};
  for (const Set& set : sets) {
    const Extents extents{8, 4, 4, 8};
    WriteOptions options;
    options.format = set.format;
    options.layout = set.layout;
    options.parts = to_string(processes);
    write_conf(scratch_ / set.name, extents, options);
    const std::string asked = scratch_ / set.asked;
    std::string first;
    for (const int ranks : {1, 2, 5}) {
      run_ranks(ranks, [&](const std::shared_ptr<comm::Comm>& comm) {
        const SqueezeReport report = squeeze(asked, archive_, Communicator(comm), {.overwrite = true});
        EXPECT_EQ(report.format, set.format);
        unsqueeze(archive_, back_, Communicator(comm), {.verify = Verify::read_back, .overwrite = true});
      });
      std::size_t bytes = 0;
      for (const std::string& suffix : set.suffixes) {
        const std::string original = contents(scratch_ / (set.name + suffix));
        bytes += original.size();
        EXPECT_TRUE(contents(back_ + suffix) == original) << set.name << suffix << " on " << ranks;
      }
      EXPECT_LT(contents(archive_).size(), bytes * 54 / 100) << set.name;
      if (first.empty()) first = contents(archive_);
      EXPECT_TRUE(contents(archive_) == first) << "an archive depends on the number of ranks";
    }
    const std::vector<double> links = read_links(asked, extents);
    EXPECT_TRUE(read_links(archive_, extents) == links) << set.name;
    EXPECT_TRUE(verify(archive_).ok) << set.name;
    run_ranks(4, [&](const std::shared_ptr<comm::Comm>& comm) {
      const Grid grid(Communicator(comm), extents, {.processes = Extents{1, 2, 2, 1}});
      std::vector<double> mine(grid.local_volume() * 72), expected(mine.size());
      const auto memory = [](std::vector<double>& numbers) {
        return MutableField{
            .spec = gauge_spec(Precision::double_), .data = numbers.data(), .available = numbers.size()};
      };
      read(archive_, grid, memory(mine));
      read(asked, grid, memory(expected));
      EXPECT_TRUE(mine == expected) << set.name;
    });
  }
}

// One of them is in the way: nothing is replaced, and none of the others is left.
TEST_F(Squeezing, RestoresASetWholeOrNotAtAll) {
  WriteOptions options;
  options.format = "openqcd";
  options.parts = "1x1x1x3";
  write_conf(scratch_ / "run", {4, 4, 4, 6}, options);
  squeeze(scratch_ / "run_b0", archive_);
  put_contents(back_ + "_b1", "mine");
  EXPECT_EQ(error_of([&] { unsqueeze(archive_, back_); }).code(), Code::exists);
  EXPECT_EQ(contents(back_ + "_b1"), "mine");
  EXPECT_EQ(files_in(scratch_.path()), (std::vector<std::string>{"back_b1", "conf.sqz", "run_b0", "run_b1", "run_b2"}));
  std::string archive = contents(archive_);
  const std::size_t files = archive.find(" _b1");
  ASSERT_NE(files, std::string::npos);
  for (const char* const name : {" /b1", " _b2", "9_b1"}) {
    std::string wrong = archive;
    wrong.replace(files, 4, name);
    put_contents(archive_, wrong);
    EXPECT_EQ(error_of([&] { unsqueeze(archive_, back_, {}, {.overwrite = true}); }).code(), Code::malformed) << name;
  }
}

TEST_F(Squeezing, RefusesWhatItCannotDo) {
  const std::string path = scratch_ / "conf.ildg", text = scratch_ / "notes.txt";
  write_conf(path, extents_);
  put_contents(text, "nothing to squeeze in here");
  squeeze(path, archive_);
  EXPECT_EQ(error_of([&] { squeeze(path, archive_); }).code(), Code::exists);
  EXPECT_EQ(error_of([&] { squeeze(archive_, back_); }).code(), Code::unsupported);
  EXPECT_EQ(error_of([&] { unsqueeze(path, back_); }).code(), Code::unsupported);
  EXPECT_EQ(error_of([&] { squeeze(text, back_); }).code(), Code::unknown_format);
  EXPECT_EQ(error_of([&] { squeeze(scratch_ / "none", back_); }).code(), Code::not_found);
  EXPECT_EQ(files_in(scratch_.path()), (std::vector<std::string>{"conf.ildg", "conf.sqz", "notes.txt"}));
}

// A byte that changed anywhere in an archive: nothing wrong is restored, and nothing is left behind.
TEST_F(Squeezing, DamageAnywhereIsFound) {
  const std::string path = scratch_ / "conf.ildg";
  write_conf(path, {4, 4, 4, 4});
  squeeze(path, archive_);
  const std::string original = contents(path), archive = contents(archive_);
  std::size_t found = 0, harmless = 0;
  for (std::size_t at = 3; at < archive.size(); at += 1 + archive.size() / 150) {
    std::string damaged = archive;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    put_contents(archive_, damaged);
    try {
      unsqueeze(archive_, back_, {}, {.overwrite = true});
      EXPECT_TRUE(contents(back_) == original) << "byte " << at;
      ++harmless;
    } catch (const Error& error) {
      ++found;
      EXPECT_NE(std::string(error.what()).find("conf.sqz"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(found, 100U);
  EXPECT_LT(harmless, 20U);  // padding, and what is said for people
  put_contents(archive_, archive.substr(0, archive.size() / 2));
  EXPECT_EQ(error_of([&] { unsqueeze(archive_, back_, {}, {.overwrite = true}); }).code(), Code::truncated);
}

// A write in the middle, by whoever: no mixture gets the name.
TEST_F(Squeezing, ASourceThatChangesIsAnError) {
  const std::string path = scratch_ / "conf.ildg";
  write_conf(path, extents_);
  SqueezeOptions options;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4000);
    file.put('x');
  };
  EXPECT_EQ(error_of([&] { squeeze(path, archive_, {}, options); }).code(), Code::io);
  EXPECT_EQ(files_in(scratch_.path()), std::vector<std::string>{"conf.ildg"});
}

TEST_F(Squeezing, RanksThatDisagreeAreTold) {
  const std::string path = scratch_ / "conf.ildg";
  write_conf(path, extents_);
  run_ranks(2, [&](const std::shared_ptr<comm::Comm>& comm) {
    const Error error = error_of([&] {
      squeeze(path, archive_, Communicator(comm), {.verify = comm->rank() == 0 ? Verify::none : Verify::checksum});
    });
    EXPECT_EQ(error.code(), Code::ranks_disagree);
  });
}

}  // namespace
}  // namespace lq
