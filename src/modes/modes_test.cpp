// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes on this process: what was added is read, whatever happened in between.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <limequat/inspect.hpp>
#include <limequat/modes.hpp>

#include "base/bytes.hpp"
#include "io/verify.hpp"
#include "modes/new_set.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::modes {
namespace {

using lq::testing::error_of;

const Extents lattice{4, 2, 2, 6};

Description described(Storage storage = Storage::double_) {
  Description description;
  description.lattice = lattice;
  description.storage = storage;
  description.operator_name = "hermitian Wilson";
  description.parameters = {{"kappa", 0.125}, {"steps", std::int64_t{30}}};
  description.room = 4;
  return description;
}

std::vector<double> vector_number(const Grid& grid, std::uint64_t k, std::uint64_t numbers = 24) {
  std::vector<double> values = lq::testing::formula_sites<double>(grid, numbers);
  for (double& value : values) value += static_cast<double>(k);
  return values;
}

Mode mode_number(std::uint64_t k) { return {{0.5 + static_cast<double>(k), 0}, 1e-8 * static_cast<double>(k + 1)}; }

class Modes : public ::testing::Test {
 protected:
  void add(Writer& writer, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) {
      const auto values = vector_number(grid_, k);
      EXPECT_EQ(writer.append(spinor(values), mode_number(k)).bytes, grid_.volume() * 192);
    }
  }
  void expect(std::uint64_t modes) {
    const Set set(path_);
    ASSERT_EQ(set.size(), modes);
    std::vector<double> values(grid_.volume() * 24);
    for (std::uint64_t k = modes; k-- > 0;) {
      EXPECT_EQ(set.read(k, grid_, spinor(values)).status, ChecksumStatus::ok);
      EXPECT_EQ(values, vector_number(grid_, k)) << k;
      EXPECT_EQ(set.modes()[k], mode_number(k));
    }
  }

  lq::testing::ScratchDirectory folder_;
  std::string path_ = folder_ / "low.modes";
  Grid grid_{lattice};
};

TEST_F(Modes, AreThereWhenAppendReturns) {
  Writer writer(path_, grid_, described());
  expect(0);
  for (std::uint64_t k = 0; k < 11; ++k) {
    add(writer, k, k + 1);
    expect(k + 1);
  }
  EXPECT_EQ(writer.size(), 11U);
}

TEST_F(Modes, AreAddedByALaterProgram) {
  {
    Writer writer(path_, grid_, described());
    add(writer, 0, 3);
  }
  Writer writer(path_, grid_);
  EXPECT_EQ(writer.size(), 3U);
  EXPECT_EQ(writer.description(), described());
  add(writer, 3, 9);
  expect(9);
  EXPECT_EQ(Set(path_).description().parameters, described().parameters);
}

// The journal of the first would be taken for one that was left behind.
TEST_F(Modes, AreAddedByOneWriterAtATime) {
  {
    Writer first(path_, grid_, described());
    add(first, 0, 2);
    const Error error = error_of([&] { Writer second(path_, grid_); });
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_EQ(error.facts().path, path_);
    Writer moved = std::move(first);
    EXPECT_EQ(error_of([&] { Writer second(path_, grid_); }).code(), Code::io);
    add(moved, 2, 4);
    expect(4);
  }
  Writer later(path_, grid_);
  EXPECT_EQ(error_of([&] { Writer second(path_, grid_); }).code(), Code::io);
  add(later, 4, 5);
  expect(5);
}

class ModesOverOthers : public Modes {
 protected:
  ModesOverOthers() {
    Writer writer(path_, grid_, described());
    add(writer, 0, 3);
  }
  Writer replace() { return {path_, grid_, described(), {.overwrite = true}}; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename());
    return names;
  }
};

TEST_F(ModesOverOthers, TakeTheirPlaceWithTheFirstOne) {
  Writer writer = replace();
  EXPECT_EQ(writer.size(), 0U);
  expect(3);
  for (const bool overwrite : {false, true}) {
    const Error error = error_of([&] { overwrite ? replace() : Writer(path_, grid_); });
    EXPECT_EQ(error.code(), Code::io) << error.what();
    EXPECT_EQ(error.facts().path, path_);
  }
  add(writer, 0, 1);
  expect(1);
  EXPECT_EQ(error_of([&] { replace(); }).code(), Code::io);
  EXPECT_EQ(error_of([&] { write(path_, grid_, described(), {}, {}, {.overwrite = true}); }).code(), Code::io);
  EXPECT_EQ(error_of([&] { convert(path_, path_, {}, {.overwrite = true}); }).code(), Code::io);
  add(writer, 1, 5);
  writer.close();
  expect(5);
  EXPECT_EQ(error_of([&] { add(writer, 5, 6); }).code(), Code::wrong_state);
  EXPECT_EQ(files(), std::vector<std::string>{"low.modes"});
}

TEST_F(ModesOverOthers, ThatAreNoneDoSoWhenTheWriterIsClosed) {
  replace();
  expect(3);
  EXPECT_EQ(files(), std::vector<std::string>{"low.modes"});
  replace().close();
  expect(0);
}

TEST_F(ModesOverOthers, LeaveThemWhereTheFirstOneFails) {
  Writer writer = replace();
  const std::vector<double> links(grid_.volume() * 72);
  EXPECT_EQ(error_of([&] { writer.append(gauge(links), {}); }).code(), Code::unsupported);
  expect(3);
  EXPECT_EQ(files(), std::vector<std::string>{"low.modes"});
  add(writer, 0, 2);
  expect(2);
}

// A journal that was left is not taken for one of the new set.
TEST_F(ModesOverOthers, ReplaceASetThatAnAppendHasLeftIncomplete) {
  testing::put_contents(path_ + ".lq-journal", "anything");
  Writer writer = replace();
  add(writer, 0, 2);
  expect(2);
  EXPECT_EQ(files(), std::vector<std::string>{"low.modes"});
}

// What had the name, has it or holds a copy of the bytes: whoever writes as if he were alone does not.
class ModesThatWereReplaced : public ModesOverOthers,
                              public ::testing::WithParamInterface<std::tuple<const char*, bool>> {
 protected:
  std::string other_ = folder_ / "other.modes";
};

TEST_P(ModesThatWereReplaced, AreNotGoneOnWith) {
  const auto& [how, is_new] = GetParam();
  {
    Writer writer(other_, grid_, described());
    add(writer, 4, 7);
  }
  Writer writer = is_new ? replace() : Writer(path_, grid_);
  const std::uint64_t first = is_new ? 0 : 3;
  if (is_new) add(writer, 0, 1);
  if (std::string(how) == "Renamed") {
    std::filesystem::rename(other_, path_);
  } else {
    testing::put_contents(path_, testing::contents(other_));
  }
  const std::string there = testing::contents(path_);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Error error = error_of([&] { add(writer, first + 1, first + 2); });
    EXPECT_EQ(error.code(), Code::io);
    EXPECT_NE(std::string(error.what()).find("another program has replaced"), std::string::npos) << error.what();
    EXPECT_EQ(error.facts().path, path_);
    EXPECT_EQ(testing::contents(path_), there);
  }
  EXPECT_TRUE(io::verify(path_).ok);
}

TEST_F(ModesOverOthers, AreRefusedOnAllRanksAlike) {
  const auto expect_one_error = [&](const char* words, auto work) {
    const auto errors = lq::testing::outcomes_of_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      work(Grid(all, lattice, {.processes = Extents{1, 1, 1, 3}}));
    });
    const Error first = error_of([&] { std::rethrow_exception(errors.at(0)); });
    EXPECT_EQ(first.code(), Code::io);
    EXPECT_NE(std::string(first.what()).find(words), std::string::npos) << first.what();
    for (const auto& error : errors) {
      ASSERT_NE(error, nullptr);
      EXPECT_STREQ(error_of([&] { std::rethrow_exception(error); }).what(), first.what());
    }
  };
  {
    const Writer writer(path_, grid_);
    expect_one_error("appending to this file",
                     [&](const Grid& grid) { Writer other(path_, grid, described(), {.overwrite = true}); });
  }
  const std::string before = folder_ / "before.modes";
  std::filesystem::copy_file(path_, before);
  expect_one_error("another program has replaced it", [&](const Grid& grid) {
    Writer writer(path_, grid, described(), {.overwrite = true});
    const auto values = vector_number(grid, 0);
    writer.append(spinor(values), mode_number(0));
    if (grid.is_root()) std::filesystem::rename(before, path_);
    writer.append(spinor(values), mode_number(1));
  });
  expect(3);
}

INSTANTIATE_TEST_SUITE_P(ByAnother, ModesThatWereReplaced,
                         ::testing::Combine(::testing::Values("Renamed", "Copied"), ::testing::Bool()),
                         [](const auto& param) {
                           return std::string(std::get<0>(param.param)) +
                                  (std::get<1>(param.param) ? "WhileNew" : "WhileAddedTo");
                         });

TEST_F(Modes, AreTheSameBytesWhetherWrittenAtOnceOrOneByOne) {
  Writer writer(path_, grid_, described());
  add(writer, 0, 7);
  std::vector<std::vector<double>> memory;
  std::vector<Field> vectors;
  std::vector<Mode> modes;
  for (std::uint64_t k = 0; k < 7; ++k) {
    memory.push_back(vector_number(grid_, k));
    modes.push_back(mode_number(k));
  }
  for (const auto& values : memory) vectors.push_back(spinor(values));
  const std::string at_once = folder_ / "at_once.modes";
  EXPECT_EQ(write(at_once, grid_, described(), vectors, modes), 7 * grid_.volume() * 192);
  EXPECT_EQ(testing::contents(at_once), testing::contents(path_));
  EXPECT_EQ(error_of([&] { write(at_once, grid_, described(), vectors, modes); }).code(), Code::exists);
  modes.pop_back();
  EXPECT_EQ(error_of([&] { write(at_once, grid_, described(), vectors, modes, {.overwrite = true}); }).code(),
            Code::invalid_argument);
  std::vector<double> one(grid_.volume() * 24);
  EXPECT_EQ(read(at_once, 5, grid_, spinor(one)), mode_number(5));
  EXPECT_EQ(one, memory[5]);
}

TEST_F(Modes, InSinglePrecisionAreRounded) {
  Writer writer(path_, grid_, described(Storage::single));
  std::vector<double> values = vector_number(grid_, 0), back(values.size());
  for (double& value : values) value /= 3;
  writer.append(spinor(values), {});
  Set(path_).read(0, grid_, spinor(back));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(back[i], static_cast<float>(values[i]));
}

// The page's bytes, decoded by hand: magnitude, then integers of 16 bits, big-endian.
TEST_F(Modes, InFixedPointAreWithinTheirBoundAndTheBytesOfThePage) {
  Writer writer(path_, grid_, described(Storage::fixed16));
  const std::vector<double> values = vector_number(grid_, 3);
  std::vector<double> back(values.size());
  std::vector<float> single(values.size());
  EXPECT_EQ(writer.append(spinor(values), {}).bytes, grid_.volume() * 52);
  const Set set(path_);
  set.read(0, grid_, spinor(back));
  set.read(0, grid_, spinor(single));
  const std::string bytes = testing::contents(path_);
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data()) + set.file().catalog().fields[0].payload.offset;
  for (std::size_t site = 0; site < grid_.volume(); ++site, at += 52) {
    const auto magnitude = static_cast<double>(std::bit_cast<float>(base::load_be<std::uint32_t>(at)));
    double largest = 0;
    for (std::size_t n = 0; n < 24; ++n) largest = std::max(largest, std::fabs(values[24 * site + n]));
    ASSERT_EQ(magnitude, largest);  // whole numbers below 2^24
    for (std::size_t n = 0; n < 24; ++n) {
      const auto integer = static_cast<std::int16_t>(base::load_be<std::uint16_t>(at + 4 + 2 * n));
      ASSERT_EQ(back[24 * site + n], magnitude * integer / 32767);
      ASSERT_EQ(single[24 * site + n], static_cast<float>(magnitude * integer / 32767));
      ASSERT_LE(std::fabs(back[24 * site + n] - values[24 * site + n]), largest / 65000);
    }
  }
  const Verification verdict = io::verify(path_);
  EXPECT_TRUE(verdict.ok);
}

TEST_F(Modes, OfARepairedSetStayMarkedInEveryCopy) {
  const std::string text = "mode 3 is lost", copy = folder_ / "copy.modes", foreign = folder_ / "foreign";
  NewSet set(path_, grid_, described(Storage::double_), {}, {.unproven = {text}});
  const auto values = vector_number(grid_, 0);
  Report report = set.append(spinor(values), {});
  set.publish(report);
  ASSERT_EQ(io::verify(path_).verdict, Verdict::unproven);
  for (const std::optional<Storage> storage : {std::optional<Storage>(), std::optional(Storage::fixed16)}) {
    convert(path_, copy, {}, {.storage = storage, .overwrite = true}, &report);
    EXPECT_TRUE(report.warnings.empty());
    const Verification verdict = io::verify(copy);
    EXPECT_EQ(verdict.verdict, Verdict::unproven);
    EXPECT_TRUE(std::ranges::any_of(verdict.findings,
                                    [&](const Finding& one) { return one.message.find(text) != std::string::npos; }));
  }
  convert(path_, foreign, {}, {.format = "quda"}, &report);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find(text), std::string::npos) << report.warnings[0];
}

// One site with a NaN, one with a number that is too large for single precision.
TEST_F(Modes, ThatAreNotFiniteAreWarnedOfAndFound) {
  for (const Storage storage : {Storage::fixed16, Storage::single, Storage::double_}) {
    for (const Strategy strategy : {Strategy::direct, Strategy::shared, Strategy::messages}) {
      SCOPED_TRACE(::testing::Message() << name(storage) << ", " << lq::name(strategy));
      const std::string path = folder_ / fmt::format("{}_{}.modes", name(storage), lq::name(strategy));
      lq::testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
        const Communicator all(std::move(comm));
        const Grid grid(all, lattice, {.processes = Extents{1, 1, 1, 3}});
        WriteOptions options;
        options.route.strategy = strategy;
        Writer writer(path, grid, described(storage), options);
        std::vector<double> values = vector_number(grid, 0);
        EXPECT_TRUE(writer.append(spinor(values), {}).warnings.empty());
        if (grid.rank() == 1) values[30] = std::nan("");
        if (grid.rank() == 2) values.back() = 1e39;
        const Report report = writer.append(spinor(values), {});
        ASSERT_EQ(report.warnings.size(), 1U);
        const std::string sites = storage == Storage::double_ ? " 1 sites" : " 2 sites";
        EXPECT_NE(report.warnings[0].find(sites), std::string::npos) << report.warnings[0];
      });
      const Verification verdict = io::verify(path);
      EXPECT_EQ(verdict.verdict, Verdict::unproven);
      const auto found = std::ranges::find(verdict.findings, "not-finite", &Finding::rule);
      ASSERT_NE(found, verdict.findings.end());
      EXPECT_EQ(found->found, storage == Storage::double_ ? "1" : "2");
      EXPECT_NE(found->message.find("\"mode:1\""), std::string::npos) << found->message;
      for (const char* format : {"modes", "grid", "grid-folder", "quda"}) {
        Report report;
        EXPECT_EQ(convert(path, path + format, {}, {.format = format}, &report), 2U);
        ASSERT_EQ(report.warnings.size(), 1U) << format;
        const std::string sites = storage == Storage::double_ ? " 1 sites" : " 2 sites";
        EXPECT_NE(report.warnings[0].find(sites), std::string::npos) << report.warnings[0];
      }
    }
  }
}

// Of both kinds of vectors, for those formats that have one kind only.
TEST_F(Modes, OfAPrivateSetBecomePrivateFiles) {
  using std::filesystem::perms;
  for (const std::uint64_t numbers : {24U, 6U}) {
    Description description = described();
    if (numbers == 6) description.site = spinor_spec(Precision::double_, 3, 1);
    std::vector<double> values = vector_number(grid_, 0, numbers);
    values[0] = std::nan("");
    {
      Writer writer(path_, grid_, description, {.overwrite = true});
      writer.append(spinor(values, {.spins = numbers == 6 ? 1 : 4}), {});
    }
    std::filesystem::permissions(path_, perms::owner_read | perms::owner_write);
    const auto formats = numbers == 24 ? std::vector<std::string>{"modes", "grid", "grid-folder", "quda"}
                                       : std::vector<std::string>{"modes", "milc", "mod"};
    for (const std::string& format : formats) {
      Report report;
      const std::string to = folder_ / fmt::format("private_{}_{}", numbers, format);
      convert(path_, to, {}, {.format = format}, &report);
      EXPECT_EQ(report.warnings.size(), 1U) << format;
      const std::string made = format == "grid-folder" ? to + "/v0.bin" : to;
      EXPECT_EQ(std::filesystem::status(made).permissions(), perms::owner_read | perms::owner_write) << format;
    }
  }
}

TEST_F(Modes, ArriveAheadInOrder) {
  Writer writer(path_, grid_, described());
  add(writer, 0, 9);
  const Set set(path_);
  std::vector<double> first(grid_.volume() * 24), second(first.size()), third(first.size());
  const std::vector<const std::vector<double>*> memory{&first, &second, &third};
  ReadAhead arriving = set.read_ahead(2, 8, grid_, {spinor(first), spinor(second), spinor(third)});
  for (std::uint64_t k = 2; k < 8; ++k) {
    const auto arrival = arriving.next();
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->index, k);
    EXPECT_EQ(*memory[arrival->buffer], vector_number(grid_, k));
  }
  EXPECT_FALSE(arriving.next());
  EXPECT_FALSE(set.read_ahead(4, 4, grid_, {spinor(first), spinor(second)}).next());
  EXPECT_EQ(error_of([&] {
              set.read_ahead(4, 10, grid_, {spinor(first), spinor(second)});
            }).code(),
            Code::no_such_record);
}

TEST_F(Modes, CanBeReadWhileOthersAreAdded) {
  Writer writer(path_, grid_, described());
  add(writer, 0, 3);
  const Set set(path_);
  add(writer, 3, 8);
  std::vector<double> values(grid_.volume() * 24);
  set.read(1, grid_, spinor(values));
  EXPECT_EQ(values, vector_number(grid_, 1));
  EXPECT_EQ(error_of([&] { set.read(5, grid_, spinor(values)); }).code(), Code::no_such_record);
}

TEST_F(Modes, OfASetThatWasReplacedAreNotReadForTheOld) {
  {
    Writer writer(path_, grid_, described());
    add(writer, 0, 2);
  }
  const Set set(path_);
  {
    Writer writer(path_, grid_, described(), {.overwrite = true});
    add(writer, 5, 7);
  }
  std::vector<double> values(grid_.volume() * 24);
  set.read(1, grid_, spinor(values));  // the file that was opened
  EXPECT_EQ(values, vector_number(grid_, 1));
}

TEST_F(Modes, OnOtherLatticesAreRefusedAndLeaveTheSetAsItWas) {
  const Grid other(Extents{4, 4, 2, 6});
  std::vector<double> values = vector_number(other, 0);
  {
    Writer writer(path_, grid_, described());
    add(writer, 0, 2);
    const std::string before = testing::contents(path_);
    const std::vector<double> links(grid_.volume() * 72);
    EXPECT_EQ(error_of([&] { writer.append(gauge(links), {}); }).code(), Code::unsupported);
    EXPECT_EQ(testing::contents(path_), before);
    add(writer, 2, 3);
  }
  const std::string before = testing::contents(path_);
  EXPECT_EQ(error_of([&] { Writer wrong(path_, other); }).code(), Code::invalid_argument);
  EXPECT_EQ(error_of([&] { Set(path_).read(0, other, spinor(values)); }).code(), Code::invalid_argument);
  EXPECT_EQ(testing::contents(path_), before);
  Writer writer(path_, grid_);
  add(writer, 3, 4);
  expect(4);
}

TEST_F(Modes, WithoutChecksumsAreRefused) {
  Writer writer(path_, grid_, described(), {.verify = Verify::none});
  const auto values = vector_number(grid_, 0);
  EXPECT_EQ(error_of([&] { writer.append(spinor(values), {}); }).code(), Code::invalid_argument);
}

TEST_F(Modes, ThatAreDamagedAreNamedWithTheirTimeSlice) {
  Writer writer(path_, grid_, described());
  add(writer, 0, 6);
  const FieldEntry entry = Set(path_).file().catalog().fields[4];
  const std::uint64_t slice = 4 * 2 * 2 * 192;
  {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(entry.payload.offset + 3 * slice + 1000));
    file.write("XXXXXXXXXXXX", 12);
  }
  const Verification verdict = io::verify(path_);
  EXPECT_FALSE(verdict.ok);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(verdict.fields[k].status, k == 4 ? ChecksumStatus::mismatch : ChecksumStatus::ok);
    EXPECT_EQ(verdict.fields[k].damaged_slices, k == 4 ? std::vector<std::int64_t>{3} : std::vector<std::int64_t>{});
  }
  std::vector<double> values(grid_.volume() * 24);
  EXPECT_EQ(error_of([&] { Set(path_).read(4, grid_, spinor(values)); }).code(), Code::checksum_mismatch);
  Set(path_).read(5, grid_, spinor(values));
  EXPECT_EQ(values, vector_number(grid_, 5));
}

// Who goes on with a set begins behind the modes that are said to be there.
TEST_F(Modes, AreNotAddedWhereTheIndexIsDamaged) {
  {
    Description description = described();
    description.room = 2;  // 2 modes in the first block of the index, 4 in the second one
    Writer writer(path_, grid_, description);
    add(writer, 0, 5);
  }
  const std::string sound = testing::contents(path_);
  const std::size_t second = sound.find("index", sound.find("index") + 1);
  ASSERT_NE(second, std::string::npos);
  const std::uint64_t offset = second / 8 * 8;
  std::uint64_t refused = 0;
  for (std::uint64_t byte = offset; byte < offset + 256; ++byte) {
    std::string damaged = sound;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 4);
    testing::put_contents(path_, damaged);
    const Error error = error_of([&] { EXPECT_EQ(Writer(path_, grid_).size(), 5U) << byte; });
    if (error.code() == Code::ok) continue;
    EXPECT_EQ(error.code(), Code::malformed) << error.what();
    ++refused;
  }
  EXPECT_GT(refused, 40U);  // numbers of the block and their sum
}

TEST_F(Modes, OfOneParityAndWithAFifthDimensionComeBack) {
  Description description = described();
  description.parity = Parity::odd;
  description.ls = 3;
  const Grid half(description.sites());
  EXPECT_EQ(half.extents(), (Extents{2, 2, 2, 6}));
  const auto values = vector_number(half, 2, 72);
  const Field field{
      .spec = generic_spec(Precision::double_, 72, true), .data = values.data(), .available = values.size()};
  Writer(path_, half, description).append(field, mode_number(2));
  const Set set(path_);
  EXPECT_EQ(set.description(), description);
  std::vector<double> back(values.size());
  set.read(0, half, {.spec = field.spec, .data = back.data(), .available = back.size()});
  EXPECT_EQ(back, values);
}

TEST_F(Modes, AreConvertedWithinTheirBoundAndInParts) {
  Writer writer(path_, grid_, described());
  add(writer, 0, 6);
  const std::string small = folder_ / "small.modes", again = folder_ / "again.modes";
  EXPECT_EQ(convert(path_, small, {}, {.storage = Storage::fixed16, .first = 1, .last = 5}), 4U);
  EXPECT_EQ(error_of([&] { convert(path_, small); }).code(), Code::exists);
  // Six are numbered from 0 to 5.
  for (const std::uint64_t first : {6U, 7U}) {
    EXPECT_EQ(error_of([&] { convert(path_, again, {}, {.first = first}); }).code(), Code::no_such_record) << first;
  }
  EXPECT_FALSE(std::filesystem::exists(again));
  const Set set(small);
  ASSERT_EQ(set.size(), 4U);
  EXPECT_EQ(set.description().storage, Storage::fixed16);
  EXPECT_EQ(set.description().parameters, described().parameters);
  EXPECT_EQ(set.modes()[0], mode_number(1));
  std::vector<double> values(grid_.volume() * 24);
  set.read(3, grid_, spinor(values));
  const auto expected = vector_number(grid_, 4);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], 8388610.0 / 65000);
  // What is in fixed point stays the same bits when it is converted again.
  EXPECT_EQ(convert(small, again), 4U);
  EXPECT_EQ(testing::contents(again), testing::contents(small));
}

// What is wrong with the file is said, and not what follows from it: here a record that is longer than the file.
TEST_F(Modes, OfAFileWithDamagedHeadersAreNotConverted) {
  {
    Writer writer(path_, grid_, described());
    add(writer, 0, 2);
  }
  std::string damaged = testing::contents(path_);
  const std::size_t type = damaged.find("limequat-modes-index");
  ASSERT_NE(type, std::string::npos);
  damaged[type - 8] ^= 0x15;  // the length of the record, in front of its type
  testing::put_contents(path_, damaged);
  const std::string to = folder_ / "converted.modes";
  EXPECT_EQ(error_of([&] { convert(path_, to); }).code(), Code::truncated);
  EXPECT_FALSE(std::filesystem::exists(to));
}

// Not a set with fewer modes: with the remedy, which gets all of them back.
TEST_F(Modes, OfADamagedIndexAreAllReadOrNone) {
  {
    Writer writer(path_, grid_, described());
    add(writer, 0, 5);
  }
  const std::string whole = testing::contents(path_);
  const std::size_t type = whole.find("limequat-modes-index");
  for (std::size_t at = type - 16; at < type + 128 + 48; ++at) {
    std::string damaged = whole;
    damaged[at] ^= 0x01;
    testing::put_contents(path_, damaged);
    try {
      EXPECT_EQ(Set(path_).size(), 5U) << at - type;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == Code::malformed || error.code() == Code::truncated) << error.what();
      EXPECT_NE(std::string(error.what()).find("repair"), std::string::npos) << error.what();
    }
  }
}

TEST_F(Modes, AreNotSoughtInOtherFiles) {
  const auto values = vector_number(grid_, 0);
  lq::write(folder_ / "spinor.scidac", grid_, spinor(values));
  EXPECT_EQ(error_of([&] { Set(folder_ / "spinor.scidac"); }).code(), Code::unknown_format);
  EXPECT_EQ(error_of([&] { Writer(folder_ / "spinor.scidac", grid_); }).code(), Code::unknown_format);
  EXPECT_EQ(error_of([&] { Set(folder_ / "nothing.modes"); }).code(), Code::not_found);
  EXPECT_EQ(error_of([&] { Writer(folder_ / "nothing.modes", grid_); }).code(), Code::not_found);
}

}  // namespace
}  // namespace lq::modes
