// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of make_flat.py, which has them from the pages of the formats alone, as a user meets them: what they are,
// what verify says, and numbers of sites. The meaning of the lines in NAME.expect is in that script.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>

#include "base/text.hpp"
#include "format/format.hpp"
#include "support/contents.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;

constexpr const char* flat_formats[] = {"nersc", "milc", "fnal", "openqcd", "hirep", "ddalphaamg", "qlattice", "raw"};

std::vector<fs::path> files_of(const char* folder, const char* format) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(LQ_SOURCE_DIR) / "tests" / "golden" / folder / format)) {
    if (entry.is_regular_file() && entry.path().extension() != ".expect") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string_view name_of(ChecksumStatus status) {
  return status == ChecksumStatus::ok ? "ok" : status == ChecksumStatus::absent ? "absent" : "mismatch";
}

// One line of an .expect file.
void check_line(const std::string& line, const std::string& path, const Catalog& catalog, const Verification& verdict) {
  SCOPED_TRACE(line);
  const FieldEntry& field = catalog.field();
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "format") {
    EXPECT_EQ(line, "format " + catalog.format);
  } else if (verb == "field") {
    std::ostringstream found;
    found << "field " << field.name << ' ' << name(field.payload.spec.kind) << ' ' << to_string(field.payload.extents)
          << ' ' << field.payload.spec.numbers << ' ' << name(field.payload.spec.precision);
    EXPECT_EQ(line, found.str());
  } else if (verb == "sum") {
    EXPECT_EQ(line, "sum " + to_string(field.sums));
  } else if (verb == "status") {
    EXPECT_EQ(line, "status " + std::string(name_of(verdict.fields.at(0).status)));
  } else if (verb == "plaquette" || verb == "measured") {
    double expected = 0;
    words >> expected;
    const auto& physics = verdict.fields.at(0).physics;
    ASSERT_TRUE(verb == "plaquette" ? field.plaquette.has_value() : physics.has_value());
    EXPECT_NEAR(verb == "plaquette" ? *field.plaquette : physics->plaquette.average, expected, 1e-13);
  } else if (verb == "number") {
    std::string site;
    std::size_t number = 0;
    double expected = 0;
    words >> site >> number >> expected;
    std::ranges::replace(site, ',', ' ');
    Coord x = Coord::filled(4, 0);
    std::istringstream coordinates(site);
    for (int d = 0; d < 4; ++d) coordinates >> x[d];
    const SiteCodec& codec = field.payload.codec;
    const bool is_made_anew = codec.third_rows_missing || codec.second_columns_missing;
    EXPECT_NEAR(read_site(path, x).at(number), expected, is_made_anew ? 1e-15 : 0);
  } else if (verb == "text") {
    std::string name;
    words >> name;
    const std::string begin = line.substr(6 + name.size());
    EXPECT_TRUE(std::ranges::any_of(
        field.metadata, [&](const auto& text) { return text.first == name && text.second.starts_with(begin); }));
  } else if (verb == "rule") {
    EXPECT_TRUE(std::ranges::any_of(verdict.findings, [&](const Finding& f) { return "rule " + f.rule == line; }));
  } else {
    ADD_FAILURE() << "unknown line";
  }
}

TEST(FlatFiles, ThatAreGoodHoldWhatIsExpected) {
  std::size_t count = 0;
  for (const char* format : flat_formats) {
    for (const fs::path& path : files_of("good", format)) {
      SCOPED_TRACE(path.string());
      ++count;
      const Catalog catalog = inspect(path.string());
      const Verification verdict = verify(path.string());
      std::ifstream expected(fs::path(path).replace_extension(".expect"));
      for (std::string line; std::getline(expected, line);) check_line(line, path.string(), catalog, verdict);
    }
  }
  EXPECT_GE(count, 40U);
}

std::optional<Error> failure_of(const std::string& path) {
  try {
    inspect(path).require_sound();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

TEST(FlatFiles, ThatAreBadGetTheirPinnedCode) {
  for (const char* format : flat_formats) {
    for (const fs::path& path : files_of("bad", format)) {
      SCOPED_TRACE(path.string());
      const auto failure = failure_of(path.string());
      ASSERT_TRUE(failure);
      std::ifstream expected(fs::path(path).replace_extension(".expect"));
      for (std::string line; std::getline(expected, line);) {
        if (line.starts_with("code ")) {
          EXPECT_EQ(line, "code " + std::string(name(failure->code()))) << failure->what();
        } else {
          EXPECT_NE(std::string(failure->what()).find(line.substr(8)), std::string::npos) << failure->what();
        }
      }
    }
  }
}

TEST(FlatFiles, AreExplainedByteByByte) {
  for (const char* format : flat_formats) {
    for (const fs::path& path : files_of("good", format)) {
      SCOPED_TRACE(path.string());
      std::uint64_t end = 0;
      for (const Annotation& part : explain(path.string())) {
        EXPECT_EQ(part.offset, end);
        end += part.length;
      }
      EXPECT_EQ(end, fs::file_size(path));
    }
  }
}

// The bytes of the script, by any ranks.
TEST(FlatFiles, OfTextAreWrittenFromAnyGrid) {
  const testing::ScratchDirectory scratch;
  const std::string golden = LQ_SOURCE_DIR "/tests/golden/good/raw/";
  for (const Extents& processes : {Extents{1, 1, 1, 1}, Extents{2, 1, 1, 2}, Extents{1, 2, 1, 1}}) {
    testing::run_ranks(static_cast<int>(volume(processes)), [&](const std::shared_ptr<comm::Comm>& comm) {
      const Grid grid(Communicator(comm), {2, 4, 2, 2}, {.processes = processes});
      std::vector<double> links(grid.local_volume() * 72);
      read(golden + "bridge_text.raw", grid, gauge(links));
      write(scratch / "ours.raw", grid, gauge(links), {.overwrite = true, .layout = "bridge++-text"});
    });
    EXPECT_EQ(testing::contents(scratch / "ours.raw.data"), testing::contents(golden + "data/bridge.txt"));
    // Nothing proves these numbers, which are no links of SU(3).
    EXPECT_LE(verify(scratch / "ours.raw").verdict, Verdict::unproven);
  }
}

// The bytes of the script, from any process grid; the check values, which are sums in another order, to rounding.
TEST(FlatFiles, OfOpenQcdsBlocksAreWrittenFromAnyGrid) {
  const testing::ScratchDirectory scratch;
  const fs::path golden = fs::path(LQ_SOURCE_DIR) / "tests" / "golden" / "good" / "openqcd";
  for (const std::string name : {"blocks", "momenta", "spinor"}) {
    const std::size_t head = name == "spinor" ? 60 : 56;
    for (const Extents& processes : {Extents{1, 1, 1, 1}, Extents{2, 1, 1, 2}, Extents{1, 3, 1, 1}}) {
      const std::string from = (golden / (name + "_b1")).string(), to = scratch / name;
      const FieldSpec spec = inspect(from).field().payload.spec;
      testing::run_ranks(static_cast<int>(volume(processes)), [&](const std::shared_ptr<comm::Comm>& comm) {
        const Grid grid(Communicator(comm), {2, 4, 2, 2}, {.processes = processes});
        std::vector<double> numbers(grid.local_volume() * spec.numbers);
        const MutableField field = field_in(numbers, spec);
        read(from, grid, field);
        WriteOptions options;
        options.format = "openqcd";
        options.overwrite = true;
        options.parts = "1x2x1x1";
        write(to, grid, field, options);
      });
      for (const std::string block : {"_b0", "_b1"}) {
        const std::string ours = testing::contents(to + block), theirs = testing::contents(golden / (name + block));
        EXPECT_TRUE(ours.substr(0, head - 8) == theirs.substr(0, head - 8)) << name << block;
        EXPECT_TRUE(ours.substr(head) == theirs.substr(head)) << name << block;
      }
      EXPECT_TRUE(verify(to + "_b0").ok);
    }
  }
}

std::optional<std::string> recognised(const std::string& bytes) {
  base::MemorySource file(base::as_bytes(bytes), "stranger");
  try {
    return std::string(format::recognise(file).name());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unknown_format);
    return std::nullopt;
  }
}

std::string number_text(std::uint32_t number, bool big_endian) {
  std::string text(4, '\0');
  for (int k = 0; k < 4; ++k)
    text[static_cast<std::size_t>(big_endian ? 3 - k : k)] = static_cast<char>(number >> (8 * k));
  return text;
}

// Formats without a magic must not take files of others: noise, and heads of small integers over files of just the size
// that they would have, with noise or text behind.
TEST(FlatFiles, AreNotSeenInTheFilesOfStrangers) {
  std::mt19937 random(2026);
  for (int trial = 0; trial < 100000; ++trial) {
    const bool big_endian = trial % 2 == 0;
    const auto even = [&] { return static_cast<std::uint32_t>(2 + 2 * (random() % 2)); };
    const std::uint32_t extents[] = {even(), even(), 2, 2};
    const std::size_t sites = std::size_t{extents[0]} * extents[1] * 4;
    std::string bytes =
        trial % 3 == 0 ? number_text(static_cast<std::uint32_t>(2 + random() % 2), big_endian) : std::string();
    for (const std::uint32_t extent : extents) bytes += number_text(extent, big_endian);
    const std::size_t sizes[] = {24 + 576 * sites, 28 + 256 * sites, 28 + 576 * sites, 28 + 128 * sites,
                                 24 + 256 * sites, 24 + 32 * sites,  32 + 608 * sites};
    const std::size_t size = trial % 5 == 4 ? random() % 3000 : sizes[trial % 7];
    if (trial % 5 == 3) bytes.clear();
    const bool is_text = trial % 7 == 0;
    const std::size_t head = std::min(bytes.size(), size);
    bytes.resize(size);
    for (std::size_t at = head; at < std::min<std::size_t>(size, 2000); ++at) {
      bytes[at] = static_cast<char>(is_text ? ' ' + random() % 94 : random());
    }
    // A check value that can be one.
    if (size > 40 && trial % 5 != 3)
      bytes.replace(head, 8, std::string(big_endian ? "\x3f\xe0\0\0\0\0\0\0" : "\0\0\0\0\0\0\xe0\x3f", 8));
    const auto name = recognised(bytes);
    // openQCD's links may be damaged: its header and size fit to the byte, and verify tells.
    const bool has_its_size = size == sizes[0] || size == sizes[6];
    const bool is_openqcd_with_damage = name == "openqcd" && has_its_size && (trial % 3 != 0 || !big_endian);
    EXPECT_TRUE(!name || is_openqcd_with_damage) << trial << " " << name.value_or("");
  }
}

// openQCD's local files: 17 small integers that can be, the size to the byte, a sum that can be, and noise for links.
TEST(FlatFiles, OfProcessesOfOpenQcdAreNotSeenInTheFilesOfStrangers) {
  std::mt19937 random(20262);
  for (int trial = 0; trial < 20000; ++trial) {
    const bool big_endian = trial % 2 == 0;
    const std::uint32_t t = static_cast<std::uint32_t>(4 + 2 * (random() % 2)), threads = 1 + random() % 2;
    std::string bytes;
    for (const std::uint32_t word : {2U, 1U, 1U, 1U, t, 4U, 4U, 4U, 1U, 1U, 1U, 1U, 0U, 0U, 0U, 0U, threads}) {
      bytes += number_text(word, big_endian);
    }
    bytes += std::string(big_endian ? "\x40\x59\0\0\0\0\0\0" : "\0\0\0\0\0\0\x59\x40", 8);
    const std::size_t head = bytes.size();
    bytes.resize(head + 576 * 64 * std::size_t{t} + (trial % 10 == 9 ? 1 : 0));
    for (std::size_t at = head; at < head + 3000; ++at) bytes[at] = static_cast<char>(random());
    EXPECT_FALSE(recognised(bytes)) << trial;
  }
}

std::vector<std::string> all_good_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(LQ_SOURCE_DIR) / "tests" / "golden" / "good")) {
    if (!entry.is_regular_file() || entry.path().extension() == ".expect") continue;
    files.push_back(testing::contents(entry.path()));
  }
  return files;
}

// The header of a file of any format with its first bytes changed, or some of them, or text or an archive of files in
// front: it is what it was, or nothing.
TEST(FlatFiles, AreNotSeenInDamagedFilesOfOtherFormats) {
  const testing::ScratchDirectory scratch;
  std::mt19937 random(20261);
  const std::vector<std::string> files = all_good_files();
  ASSERT_GE(files.size(), 100U);
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(recognised(file).value_or(""));
  std::size_t damaged = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    const std::size_t which = random() % files.size();
    std::string bytes = files[which];
    if (names[which].empty() || bytes.size() > 20000 || bytes.size() < 16) continue;
    const std::size_t head = std::min<std::size_t>(bytes.size(), std::size_t{8} << random() % 6);
    switch (trial % 4) {
      case 0:  // noise for the head
        for (std::size_t at = 0; at < head; ++at) bytes[at] = static_cast<char>(random());
        break;
      case 1:  // a byte or two
        for (unsigned k = 0; k <= random() % 2; ++k) bytes[random() % head] = static_cast<char>(random());
        break;
      case 2:  // as a member of an archive of tar
        bytes.insert(0, "conf.0010" + std::string(91, '\0') + "0000644" + std::string(150, '\0') + "ustar  " +
                            std::string(248, '\0'));
        break;
      default:  // what stands in front was lost
        bytes.erase(0, 1 + random() % head);
    }
    const std::string found = recognised(bytes).value_or("");
    if (found.empty()) {
      ++damaged;
      continue;
    }
    // Formats of one container are told apart by its records; multifiles hold records of LIME, and XML "version".
    const std::string_view begins = format_info(found).begins;
    const bool has_its_magic = begins == format_info("lime").begins || bytes.starts_with("sion");
    // Both headers are four extents and a plaquette. Where these are damaged the one passes for the other, and fails.
    const auto is_of_pair = [](std::string_view name) { return name == "openqcd" || name == "ddalphaamg"; };
    if (found != names[which] && is_of_pair(found) && is_of_pair(names[which])) {
      testing::put_contents(scratch / "taken", bytes);
      EXPECT_FALSE(verify(scratch / "taken").ok) << trial;
      continue;
    }
    EXPECT_TRUE(begins == format_info(names[which]).begins || has_its_magic)
        << trial << ": " << names[which] << " seen as " << found;
  }
  EXPECT_GT(damaged, 10000U);
}

// Files of MILC, openQCD and Qlattice, where the machine has them.
TEST(FlatFiles, OfOtherProgramsAreRead) {
  const char* folder = std::getenv("LQ_SHARED_DIR");
  if (!folder) GTEST_SKIP() << "LQ_SHARED_DIR does not say where the shared data are";
  const std::string at = std::string(folder) + "/vectors/formats/";
  for (const auto& [file, format, status] : std::vector<std::tuple<std::string, std::string, ChecksumStatus>>{
           {"milc/lat.sample.l4444", "milc", ChecksumStatus::ok},
           {"milc/lat.sample.l4448", "milc", ChecksumStatus::ok},
           {"milc/lat.sample.l4448.ll", "milc", ChecksumStatus::ok},
           {"milc/ksprop_fm.sample.l4448.ll", "fnal", ChecksumStatus::absent},
           {"milc/smear_fm.sample.l4448.ll", "fnal", ChecksumStatus::absent},
           {"openqcd/gauge.bc_0.bin", "openqcd", ChecksumStatus::absent},
           {"openqcd/src.bc_0.bin", "openqcd", ChecksumStatus::ok},
           {"qlattice/psrc-prop-0.field", "qlattice", ChecksumStatus::ok}}) {
    SCOPED_TRACE(file);
    const Verification verdict = verify(at + file);
    EXPECT_EQ(verdict.format, format);
    EXPECT_TRUE(verdict.ok);
    ASSERT_EQ(verdict.fields.size(), 1U);
    EXPECT_EQ(verdict.fields[0].status, status);
  }
  for (const char* other : {"milc/lat.sample.l4444.ildg", "milc/lat.sample.l4444.scidac"}) {
    EXPECT_TRUE(diff(at + "milc/lat.sample.l4444", at + other).same) << other;
  }
}

}  // namespace
}  // namespace lq
