// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Damage that no exact checksum sees, in every format that has none: what is read is warned of, and what is converted
// is refused unless somebody insists. Formats are those of the table; none is named.
#include "io/nature.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <limequat/limequat.hpp>

#include "format/format.hpp"
#include "io/judgement.hpp"
#include "support/contents.hpp"
#include "support/error_of.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::io {
namespace {

using testing::contents;
using testing::error_of;

void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

class Nature : public ::testing::Test {
 protected:
  Nature() : links_(static_cast<std::size_t>(grid_.local_volume() * 72)) {
    generate(grid_, gauge(links_), {.sweeps = 3, .seed = 5});
  }

  // In every format that holds them without a checksum that proves them.
  void for_each_unproven(const std::function<void(const std::string& path, const FieldEntry& entry)>& work) {
    std::size_t tried = 0;
    for (const format::Format* format : format::formats()) {
      if (!format->fields || !format->fields->is_for(gauge_spec(Precision::double_, 3, 4), grid_.extents())) continue;
      if (format->name() == "modes" || format->name() == "eigen_comp") continue;
      const std::string path = directory_ / ("good." + std::string(format->name()));
      write(path, grid_, gauge(links_), {.format = std::string(format->name()), .overwrite = true});
      Catalog catalog;
      // Without a magic a file is known by its links.
      if (error_of([&] { catalog = inspect(path); }).code() == Code::unknown_format) continue;
      if (catalog.files.size() > 1 || has_exact_sum(catalog.field())) continue;
      SCOPED_TRACE(format->name());
      work(path, catalog.field());
      ++tried;
    }
    EXPECT_GE(tried, 4U);
  }

  // The bytes of its numbers, changed.
  void damage(const std::string& path, const FieldEntry& entry,
              const std::function<void(std::span<char> numbers)>& change) {
    std::string bytes = contents(path);
    change(std::span(bytes).subspan(static_cast<std::size_t>(entry.payload.offset),
                                    static_cast<std::size_t>(entry.payload.length)));
    put_file(path, bytes);
  }

  Report read_it(const std::string& path) {
    std::vector<double> links(links_.size());
    return read(path, grid_, gauge(links));
  }

  // Either the format's own weak sum notices, or what the data look like does.
  void expect_noticed(const std::string& path, const FieldEntry& entry, const std::string& said) {
    const std::string to = directory_ / "to.ildg";
    std::filesystem::remove(to);
    const Error refusal = error_of([&] { convert(path, to); });
    EXPECT_EQ(refusal.code(), Code::checksum_mismatch) << refusal.what();
    EXPECT_FALSE(std::filesystem::exists(to));
    EXPECT_NE(std::string(refusal.what()).find(path), std::string::npos) << refusal.what();
    if (!entry.sums.all.empty()) {
      EXPECT_EQ(error_of([&] { read_it(path); }).code(), Code::checksum_mismatch);
      return;
    }
    EXPECT_NE(std::string(refusal.what()).find(said), std::string::npos) << refusal.what();
    EXPECT_NE(std::string(refusal.what()).find("options.accept_damage"), std::string::npos) << refusal.what();
    const Report report = convert(path, to, {}, {.write = {.overwrite = true}, .accept_damage = true});
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_NE(report.warnings.front().find(said), std::string::npos) << report.warnings.front();
    EXPECT_TRUE(diff(path, to).differing_numbers == 0);
    const Report seen = read_it(path);
    ASSERT_FALSE(seen.warnings.empty());
    EXPECT_NE(seen.warnings.front().find(said), std::string::npos) << seen.warnings.front();
  }

  testing::ScratchDirectory directory_;
  Grid grid_{Extents{4, 4, 2, 8}};
  std::vector<double> links_;
};

// A number of the file, in its byte order.
void put(std::span<char> numbers, const FieldEntry& entry, std::size_t which, double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);
  std::byte stored[8];
  entry.payload.byte_order == ByteOrder::big ? base::store_be(stored, bits) : base::store_le(stored, bits);
  ASSERT_EQ(entry.payload.spec.precision, Precision::double_);
  std::memcpy(numbers.data() + 8 * which, stored, 8);
}

TEST_F(Nature, SoundLinksPassWithoutAWord) {
  for_each_unproven([&](const std::string& path, const FieldEntry&) {
    EXPECT_EQ(convert(path, directory_ / "to.ildg", {}, {.write = {.overwrite = true}}).warnings,
              std::vector<std::string>{});
    EXPECT_EQ(read_it(path).warnings, std::vector<std::string>{});
  });
}

TEST_F(Nature, HalfOfTheFileThatWasNeverWrittenIsNoticed) {
  for_each_unproven([&](const std::string& path, const FieldEntry& entry) {
    damage(path, entry, [](std::span<char> numbers) { std::ranges::fill(numbers.subspan(numbers.size() / 2), '\0'); });
    expect_noticed(path, entry, "only zeros");
  });
}

TEST_F(Nature, OneNaNIsNoticed) {
  for_each_unproven([&](const std::string& path, const FieldEntry& entry) {
    damage(path, entry, [](std::span<char> numbers) { std::ranges::fill(numbers.subspan(80008, 8), '\xff'); });
    expect_noticed(path, entry, "NaN");
  });
}

TEST_F(Nature, OneNumberThatIsWrongIsNoticed) {
  for_each_unproven([&](const std::string& path, const FieldEntry& entry) {
    damage(path, entry, [&](std::span<char> numbers) { put(numbers, entry, 10001, 1.25); });
    expect_noticed(path, entry, "off SU(3)");
  });
}

TEST_F(Nature, ANumberOfAnySizeIsNoticed) {
  for_each_unproven([&](const std::string& path, const FieldEntry& entry) {
    damage(path, entry, [&](std::span<char> numbers) { put(numbers, entry, 10001, 1e301); });
    expect_noticed(path, entry, "beyond 1e10");
  });
}

TEST_F(Nature, AStatedPlaquetteThatIsAnotherIsNoticed) {
  std::size_t stated = 0;
  for_each_unproven([&](const std::string& path, const FieldEntry& entry) {
    if (!entry.plaquette) return;
    ++stated;
    // The links of another configuration after the header of this one: in the group, every one of them.
    std::vector<double> other(links_.size());
    generate(grid_, gauge(other), {.sweeps = 3, .seed = 6});
    const std::string another = directory_ / "another";
    write(another, grid_, gauge(other), {.format = inspect(path).format, .overwrite = true});
    std::string bytes = contents(path);
    const std::string data = contents(another);
    const auto begin = static_cast<std::size_t>(inspect(path).field().payload.offset);
    bytes.replace(begin, std::string::npos, data, static_cast<std::size_t>(inspect(another).field().payload.offset));
    put_file(path, bytes);
    const std::string to = directory_ / "to.ildg";
    const Error refusal = error_of([&] { convert(path, to); });
    EXPECT_EQ(refusal.code(), Code::checksum_mismatch) << refusal.what();
    EXPECT_FALSE(std::filesystem::exists(to));
    if (!entry.sums.all.empty()) return;
    EXPECT_NE(std::string(refusal.what()).find("plaquette"), std::string::npos) << refusal.what();
    EXPECT_FALSE(convert(path, to, {}, {.accept_damage = true}).warnings.empty());
    std::filesystem::remove(to);
  });
  EXPECT_GE(stated, 3U);
}

TEST_F(Nature, AStatedPlaquetteThatIsAnotherIsDamageAlsoWhereAChecksumAgrees) {
  const std::string from = directory_ / "from.ildg", to = directory_ / "to.ildg";
  write(from, grid_, gauge(links_), {.metadata = {{"xlf-info", "plaquette = 0.123\n trajectory nr = 7\n"}}});
  EXPECT_EQ(verify(from).verdict, Verdict::damaged);
  for (const std::string region : {"", "t=1:4"}) {
    const Error refusal = error_of([&] { convert(from, to, {}, {.region = region}); });
    EXPECT_EQ(refusal.code(), Code::checksum_mismatch) << refusal.what();
    EXPECT_NE(std::string(refusal.what()).find("plaquette"), std::string::npos) << refusal.what();
    EXPECT_FALSE(std::filesystem::exists(to));
    const Report report =
        convert(from, to, {}, {.write = {.overwrite = true}, .accept_damage = true, .region = region});
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings.front().find("plaquette"), std::string::npos);
    std::filesystem::remove(to);
  }
  EXPECT_TRUE(read_it(from).warnings.empty());
}

// Of links under a right checksum: what verify calls damage is refused, what it accepts is converted.
TEST_F(Nature, ConversionsAndVerdictsOfProvenLinksAgree) {
  const std::vector<double> good = links_;
  const auto at = [&](std::uint64_t site, std::size_t number) -> double& { return links_[site * 72 + number]; };
  const std::uint64_t slice = grid_.volume() / 8;
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"sound", [] {}},
      {"NaN", [&] { at(11, 7) = std::nan(""); }},
      {"infinity", [&] { at(0, 0) = -HUGE_VAL; }},
      {"a number off", [&] { at(11, 7) += 0.5; }},
      {"huge", [&] { at(11, 7) = 1e301; }},
      {"a last digit", [&] { at(11, 7) += 1e-9; }},
      {"smeared",
       [&] {
         for (double& number : links_) number *= 0.9;
       }},
      {"huge, all of them",
       [&] {
         for (double& number : links_) number *= 1e12;
       }},
      {"zeros", [&] { std::fill_n(&at(5, 0), 720, 0.0); }},
      {"a link of zeros", [&] { std::fill_n(&at(5, 18), 18, 0.0); }},
      {"open",
       [&] {
         for (auto s = 7 * slice; s < 8 * slice; ++s) std::fill_n(&at(s, 54), 18, 0.0);
       }},
      {"last slice", [&] { std::fill_n(&at(7 * slice, 0), slice * 72, 0.0); }},
      {"single",
       [&] {
         for (double& number : links_) number = static_cast<float>(number);
       }},
  };
  const std::vector<FormatInfo> known = formats();
  for (const auto& [name, change] : kinds) {
    links_ = good;
    change();
    for (const std::string format : {"ildg", "scidac", "hdf5"}) {
      if (std::ranges::find(known, format, &FormatInfo::name) == known.end()) continue;
      const std::string from = directory_ / ("from." + format), to = directory_ / "to.scidac";
      write(from, grid_, gauge(links_), {.format = format, .overwrite = true});
      bool is_converted = true;
      try {
        convert(from, to, {}, {.write = {.overwrite = true}});
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::checksum_mismatch) << error.what();
        is_converted = false;
      }
      EXPECT_EQ(is_converted, is_ok(verify(from).verdict)) << name << " in " << format;
    }
  }
}

// Insisting speaks of numbers. What there was of a file that is cut off only its repair tells.
TEST_F(Nature, BrokenStructureIsRefusedHoweverOneInsistsAndTheWayOutIsNamed) {
  const std::string from = directory_ / "from.ildg", to = directory_ / "to.scidac";
  write(from, grid_, gauge(links_));
  put_file(from, contents(from).substr(0, contents(from).size() - 40));
  for (const bool insists : {false, true}) {
    const Error refusal = error_of([&] { convert(from, to, {}, {.accept_damage = insists}); });
    EXPECT_EQ(refusal.code(), Code::truncated) << refusal.what();
    EXPECT_NE(std::string(refusal.what()).find("`lq repair`"), std::string::npos) << refusal.what();
    EXPECT_EQ(std::string(refusal.what()).find("options.accept_damage") != std::string::npos, insists);
    EXPECT_FALSE(std::filesystem::exists(to));
  }
}

TEST_F(Nature, OpenBoundariesAreNoDamage) {
  const std::uint64_t slice = grid_.volume() / 8;
  for (std::uint64_t site = 7 * slice; site < 8 * slice; ++site) {
    std::fill_n(links_.begin() + static_cast<std::ptrdiff_t>(site * 72 + 54), 18, 0.0);
  }
  for_each_unproven([&](const std::string& path, const FieldEntry&) {
    EXPECT_TRUE(convert(path, directory_ / "to.ildg", {}, {.write = {.overwrite = true}}).warnings.empty());
    EXPECT_TRUE(read_it(path).warnings.empty());
  });
}

// The Schroedinger functional: all links of the last slice are zero, and the stated plaquette is that of such a field.
TEST_F(Nature, ZeroBoundariesAreNoDamageWhereAPlaquetteProvesThem) {
  const std::uint64_t slice = grid_.volume() / 8;
  std::fill(links_.end() - static_cast<std::ptrdiff_t>(slice * 72), links_.end(), 0.0);
  for_each_unproven([&](const std::string& path, const FieldEntry& entry) {
    const std::string to = directory_ / "to.ildg";
    if (entry.plaquette) {
      EXPECT_TRUE(convert(path, to, {}, {.write = {.overwrite = true}}).warnings.empty());
    } else if (entry.sums.all.empty()) {
      EXPECT_EQ(error_of([&] { convert(path, to, {}, {.write = {.overwrite = true}}); }).code(),
                Code::checksum_mismatch);
    }
  });
}

TEST_F(Nature, SmearedLinksAreRemarkedUponAndConverted) {
  for (double& number : links_) number *= 0.8;
  for_each_unproven([&](const std::string& path, const FieldEntry&) {
    const Report report = convert(path, directory_ / "to.ildg", {}, {.write = {.overwrite = true}});
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings.front().find("smeared"), std::string::npos);
  });
}

TEST_F(Nature, RanksAndThreadsSeeTheSame) {
  const std::string path = directory_ / "from.hirep", to = directory_ / "to.ildg";
  write(path, grid_, gauge(links_));
  const FieldEntry entry = inspect(path).field();
  damage(path, entry, [&](std::span<char> numbers) {
    put(numbers, entry, 10001, 1.25);
    put(numbers, entry, 17001, 1.25);
  });
  const std::string alone = error_of([&] { convert(path, to); }).what();
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator ranks(std::move(comm));
    EXPECT_EQ(error_of([&] { convert(path, to, ranks); }).what(), alone);
    const Grid grid(ranks, grid_.extents());
    std::vector<double> links(static_cast<std::size_t>(grid.local_volume() * 72));
    const Report report = read(path, grid, gauge(links));
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_EQ(report.warnings, read_it(path).warnings);
  });
}

TEST(StatedObservables, ThatAreNotOneOrTwoFiniteNumbersAreNotCompared) {
  Observables measured;
  measured.t0 = 1.5;
  const auto compared = [&](const std::string& stated) {
    return compare_observables({{"xlf-info", "flow_t0 = " + stated + "\n"}}, measured,
                               gauge_spec(Precision::double_, 3, 4))
        .size();
  };
  EXPECT_EQ(compared("1.5"), 1U);
  EXPECT_EQ(compared("(1.5, 0.01)"), 1U);
  for (const char* const text : {"nan", "inf", "-inf", "1.5 0.01 7", "about 1.5", "1.5 e", "1.5 nan", ""}) {
    EXPECT_EQ(compared(text), 0U) << text;
  }
}

}  // namespace
}  // namespace lq::io
