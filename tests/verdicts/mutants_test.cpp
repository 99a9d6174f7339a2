// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Good files of every format that is registered, damaged at random, and what verify makes of them: none is called sound
// whose numbers differ, none consistent where exact sums exist, and with a weak sum only what that sum cannot see.
// LQ_MUTANTS: damaged files of each format; LQ_SEED: others.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <limequat/limequat.hpp>

#include "support/contents.hpp"
#include "support/damage.hpp"
#include "support/plain_checksum.hpp"
#include "support/scratch_directory.hpp"
#include "verdicts/entries.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::Contents;
using testing::contents_in;
using testing::Entry;

int mutants_of_a_format() {
  const char* const text = std::getenv("LQ_MUTANTS");
  return text != nullptr ? std::atoi(text) : 300;
}

class Mutants : public ::testing::TestWithParam<std::string> {
 protected:
  // A file of an entry, before and after.
  struct Changed {
    const std::string &name, &good, &bad;
  };

  Verdict verdict() {
    try {
      return verify(path_, {}, {.threads = 1}).verdict;
    } catch (const Error& error) {
      EXPECT_NE(error.code(), Code::internal) << error.what();
      return Verdict::unreadable;
    }
  }

  // What is wrong with calling a damaged file OK; empty: nothing.
  std::string fault(const Entry& entry, const Contents& before, Verdict found, const Changed& changed) {
    Contents now;
    try {
      now = contents_in(path_);
    } catch (const Error& error) {
      // Types without a checksum may become such as nobody reads here.
      if (entry.verdict != Verdict::sound && error.code() == Code::unsupported) return {};
      return std::string("it cannot be read: ") + error.what();
    }
    if (now == before) return {};
    std::string which;
    for (const auto& [name, bytes] : before) {
      const auto it = now.find(name);
      if (it == now.end())
        which += " -" + name;
      else if (it->second != bytes)
        which += " !" + name;
    }
    for (const auto& [name, bytes] : now) {
      if (before.find(name) == before.end()) which += " +" + name;
    }
    if (numbers_in(now) == numbers_in(before) && is_uncovered(changed)) return {};
    if (has_same_scidac_sum(changed)) return {};
    if (found == Verdict::sound || entry.verdict == Verdict::sound) return "it reads otherwise:" + which;
    return what_is_seen(entry, before, now);
  }

  // Whatever the verdict: what a reading that compares sums gives without an error are the numbers that were written.
  std::string fault_of_reading(const Entry& entry, const Contents& before, const Changed& changed) {
    if (entry.verdict != Verdict::sound) return {};
    Contents now;
    try {
      now = contents_in(path_, Verify::checksum);
    } catch (const Error& error) {
      return error.code() == Code::internal ? error.what() : "";
    }
    // Fields are told by their numbers: those behind one that came or went are others.
    const auto are_same = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::ranges::equal(before, now, are_same)) return {};
    std::string which;
    for (const auto& [name, bytes] : before) {
      const bool is_number = name.find(": ") != std::string::npos || name.starts_with("task ") ||
                             name.starts_with("field ") ||
                             (name.starts_with("/") && name.find('@') == std::string::npos);
      const auto it = now.find(name);
      if (is_number && it != now.end() && it->second != bytes) which += " " + name;
    }
    return which.empty() || has_same_scidac_sum(changed) ? "" : "reading it gives other numbers:" + which;
  }

  // What should have been seen without an exact sum.
  std::string what_is_seen(const Entry& entry, const Contents& before, const Contents& now) {
    const Catalog catalog = inspect(path_);
    for (const auto& [name, bytes] : before) {
      const auto changed = now.find(name);
      // Names of objects and attributes are texts, nothing says how many messages there were, and descriptions of raw
      // data are what somebody says of them.
      const bool is_named_freely =
          GetParam() == "lime" || GetParam() == "raw" || GetParam() == "hdf5" || name.starts_with("/");
      if (changed == now.end()) {
        // Nothing vouches for extents that hold as many numbers.
        if (!is_named_freely && numbers_in(before).size() != numbers_in(now).size()) return "it has no " + name;
        continue;
      }
      const bool is_field = name.find(": ") != std::string::npos;
      if (is_field && !are_finite(changed->second) && are_finite(bytes)) return "it has numbers that are NaN";
    }
    if (catalog.fields.empty() || entry.files.size() != 1) return {};
    const FieldEntry& field = catalog.fields.front();
    const bool has_sum = verify(path_, {}, {.threads = 1}).fields.front().status == ChecksumStatus::ok;
    if (has_sum && (GetParam() == "nersc" || GetParam() == "milc")) {
      const Payload& payload = field.payload;
      const std::string bad = testing::contents(path_);
      auto now_in_it = sums_of(bad.substr(payload.offset), payload.byte_order),
           once = sums_of(entry.files.front().second.substr(payload.offset), payload.byte_order);
      // The sum of NERSC is the plain one: it does not see halves of words that were exchanged.
      if (GetParam() == "nersc") once[1] = now_in_it[1], once[2] = now_in_it[2];
      if (now_in_it != once) return "its word sums are others";
    }
    if (!field.plaquette || field.payload.spec.kind != FieldKind::gauge) return {};
    const double tolerance = field.payload.spec.precision == Precision::double_ ? 1e-10 : 3e-5;
    const auto plaquette = [&](const Contents& contents) {
      const std::string& bytes = contents.begin()->second;
      std::vector<double> links(bytes.size() / sizeof(double));
      std::memcpy(links.data(), bytes.data(), bytes.size());
      return measure(Grid(field.payload.extents), gauge(links, {.colors = field.payload.spec.colors}), 1)
          .plaquette.average;
    };
    return std::abs(plaquette(before) - plaquette(now)) > tolerance ? "its plaquette is another" : "";
  }

  static bool are_finite(const std::string& bytes) {
    for (std::size_t at = 0; at + sizeof(double) <= bytes.size(); at += sizeof(double)) {
      double number = 0;
      std::memcpy(&number, bytes.data() + at, sizeof number);
      if (!std::isfinite(number)) return false;
    }
    return true;
  }

  // Of all fields, in whatever shape.
  static std::string numbers_in(const Contents& contents) {
    std::string all;
    for (const auto& [name, bytes] : contents) all += name.find(": ") != std::string::npos ? bytes : "";
    return all;
  }

  // All that differs is text that verify names as such.
  bool is_uncovered(const Changed& changed) const {
    if (path_ != folder_ / changed.name || changed.bad.size() != changed.good.size()) return false;
    const std::vector<Claim> claims = verify(path_, {}, {.threads = 1}).claims;
    for (std::size_t k = 0; k < changed.good.size(); ++k) {
      const auto is_of = [&](const Claim& claim) {
        return claim.outcome == Outcome::uncovered && claim.offset <= k && k - *claim.offset < *claim.length;
      };
      if (changed.good[k] != changed.bad[k] && std::ranges::none_of(claims, is_of)) return false;
    }
    return true;
  }

  // Bits of neighbouring sites, one bit apart, such as bit 0 of byte 69 of the first and bit 7 of byte 68 of the second
  // one, may cancel in both words.
  bool has_same_scidac_sum(const Changed& changed) const {
    if ((GetParam() != "ildg" && GetParam() != "scidac") || changed.bad.size() != changed.good.size()) return false;
    std::string left = changed.good;
    for (const FieldEntry& field : inspect(path_).fields) {
      const Payload& payload = field.payload;
      const std::size_t sites = static_cast<std::size_t>(volume(payload.extents)), site = payload.length / sites;
      if (scidac_sum(changed.good, payload.offset, sites, site) != scidac_sum(changed.bad, payload.offset, sites, site))
        return false;
      left.replace(payload.offset, payload.length, changed.bad, payload.offset, payload.length);
    }
    return left == changed.bad;
  }
  static std::array<std::uint32_t, 2> scidac_sum(const std::string& bytes, std::size_t at, std::size_t sites,
                                                 std::size_t site) {
    std::array<std::uint32_t, 2> sum{};
    for (std::size_t rank = 0; rank < sites; ++rank) {
      const std::uint32_t crc = testing::plain_crc32(base::as_bytes(bytes.substr(at + rank * site, site)));
      sum[0] ^= testing::plain_rotated(crc, rank % 29);
      sum[1] ^= testing::plain_rotated(crc, rank % 31);
    }
    return sum;
  }

  // Those of NERSC and of MILC.
  static std::array<std::uint32_t, 3> sums_of(const std::string& bytes, ByteOrder order) {
    std::array<std::uint32_t, 3> sums{};
    for (std::size_t i = 0; 4 * i + 4 <= bytes.size(); ++i) {
      std::uint32_t word = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto byte = static_cast<unsigned char>(bytes[4 * i + k]);
        word |= static_cast<std::uint32_t>(byte) << 8 * (order == ByteOrder::big ? 3 - k : k);
      }
      sums[0] += word;
      sums[1] ^= std::rotl(word, static_cast<int>(i % 29));
      sums[2] ^= std::rotl(word, static_cast<int>(i % 31));
    }
    return sums;
  }

  testing::ScratchDirectory folder_;
  std::string path_;
};

TEST_P(Mutants, AreNotCalledSoundWhereTheyReadOtherwise) {
  const std::vector<Entry> entries = testing::entries_of(GetParam());
  ASSERT_FALSE(entries.empty()) << "there is no good file of this format in tests/golden, and none is written here";
  testing::Damage damage(testing::seed_of(20261128));
  int bad_ones = 0, faults = 0;
  const int of_each = 1 + mutants_of_a_format() / static_cast<int>(entries.size());
  for (const Entry& entry : entries) {
    // Small whole numbers in double precision are as good in single precision on a lattice of twice the sites, and the
    // lattice is a text that no checksum covers.
    if (GetParam() == "mod" && entry.name.starts_with("chroma")) continue;
    entry.put(folder_.path());
    path_ = folder_ / entry.name;
    const Contents before = contents_in(path_);
    for (int trial = 0; trial < of_each; ++trial) {
      const std::size_t file = entry.draw(damage);
      const auto& [name, good] = entry.files[file];
      if (good.empty()) continue;
      const std::string bad = entry.damaged(file, damage);
      testing::put_contents(folder_ / name, bad);
      const Verdict found = verdict();
      if (!is_ok(found)) ++bad_ones;
      std::string wrong = fault_of_reading(entry, before, {name, good, bad});
      if (is_ok(found) && wrong.empty()) wrong = fault(entry, before, found, {name, good, bad});
      if (!wrong.empty() && ++faults <= 40) {
        ADD_FAILURE() << entry.name << " (" << lq::name(entry.verdict) << "), mutant " << trial << " of " << name
                      << ": " << damage.what() << ": " << lq::name(found) << ", but " << wrong;
        if (const char* const keep = std::getenv("LQ_KEEP")) {
          const std::string kept = std::string(keep) + "/" + GetParam() + "." + std::to_string(faults);
          fs::create_directories(kept);
          entry.put(kept);
          testing::put_contents(kept + "/" + name, bad);
        }
      }
      testing::put_contents(folder_ / name, good);
    }
  }
  if (faults > 0) std::printf("%s: %d faults\n", GetParam().c_str(), faults);
  EXPECT_GT(bad_ones, mutants_of_a_format() / 4);
}

INSTANTIATE_TEST_SUITE_P(AllFormats, Mutants, ::testing::ValuesIn(testing::names_of_formats()),
                         [](const auto& which) { return testing::test_name(which.param); });

}  // namespace
}  // namespace lq
