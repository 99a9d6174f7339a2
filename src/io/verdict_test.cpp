// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an examination amounts to, for claims and findings of all kinds; and what physics says where sums do not.
#include "io/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <limequat/limequat.hpp>

#include "io/verify.hpp"
#include "lattice/site_order.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

Claim claim(Evidence evidence, Outcome outcome) {
  return {.of = "gauge", .name = "sum", .evidence = evidence, .outcome = outcome};
}

TEST(VerdictOf, TheWorstClaimDecides) {
  using enum Evidence;
  using enum Outcome;
  const Claim proof = claim(exact_sum, agrees);
  const std::pair<Claim, Verdict> cases[] = {
      {claim(second_copy, agrees), Verdict::sound},      {claim(weak_sum, agrees), Verdict::sound},
      {claim(check_value, agrees), Verdict::sound},      {claim(check_value, unchecked), Verdict::sound},
      {claim(weak_sum, absent), Verdict::sound},         {claim(exact_sum, absent), Verdict::consistent},
      {claim(second_copy, absent), Verdict::consistent}, {claim(exact_sum, unchecked), Verdict::unproven},
      {claim(weak_sum, unchecked), Verdict::unproven},   {claim(nature, differs), Verdict::unproven},
      {claim(exact_sum, differs), Verdict::damaged},     {claim(second_copy, differs), Verdict::damaged},
      {claim(weak_sum, differs), Verdict::damaged},      {claim(check_value, differs), Verdict::damaged},
      {claim(structure, differs), Verdict::damaged},     {claim(exact_sum, missing), Verdict::damaged},
      {claim(exact_sum, unreadable), Verdict::damaged},  {claim(weak_sum, missing), Verdict::damaged},
  };
  for (const auto& [other, verdict] : cases) {
    EXPECT_EQ(verdict_of({proof, other}, {}), verdict) << name(other.evidence) << " " << name(other.outcome);
    EXPECT_EQ(verdict_of({other, proof}, {}), verdict);
  }
}

TEST(VerdictOf, ClaimsNeverImproveIt) {
  for (int evidence = 0; evidence <= static_cast<int>(Evidence::nature); ++evidence) {
    for (int outcome = 0; outcome <= static_cast<int>(Outcome::unchecked); ++outcome) {
      const Claim more = claim(static_cast<Evidence>(evidence), static_cast<Outcome>(outcome));
      const Claim bad = claim(Evidence::exact_sum, Outcome::differs);
      EXPECT_EQ(verdict_of({bad, more}, {}), Verdict::damaged);
      EXPECT_GE(verdict_of({claim(Evidence::exact_sum, Outcome::absent), more}, {}), Verdict::consistent);
    }
  }
}

TEST(VerdictOf, WithoutAnyClaimItIsConsistentAtBest) { EXPECT_EQ(verdict_of({}, {}), Verdict::consistent); }

TEST(VerdictOf, ErrorsAreDamageAndMissingBytesMakeItIncomplete) {
  const Finding broken{.severity = Severity::error, .code = Code::malformed};
  const Finding ends_early{.severity = Severity::error, .code = Code::truncated};
  const Finding odd{.severity = Severity::warning};
  const Claim proof = claim(Evidence::exact_sum, Outcome::agrees);
  EXPECT_EQ(verdict_of({proof}, {odd}), Verdict::sound);
  EXPECT_EQ(verdict_of({proof}, {odd, broken}), Verdict::damaged);
  EXPECT_EQ(verdict_of({proof}, {ends_early}), Verdict::incomplete);
  EXPECT_EQ(verdict_of({claim(Evidence::exact_sum, Outcome::missing)}, {ends_early}), Verdict::incomplete);
  EXPECT_EQ(verdict_of({claim(Evidence::exact_sum, Outcome::differs)}, {ends_early}), Verdict::damaged);
}

TEST(VerdictOf, ASoundFileMayBeRequired) {
  Verification verification;
  verification.claims = {claim(Evidence::exact_sum, Outcome::absent)};
  conclude(verification, Require::consistent);
  EXPECT_TRUE(verification.ok);
  conclude(verification, Require::sound);
  EXPECT_FALSE(verification.ok);
  EXPECT_EQ(verification.verdict, Verdict::consistent);
}

// Links of SU(3), which tests change and write in formats with and without sums.
class WrittenLinks : public ::testing::Test {
 protected:
  WrittenLinks() : links_(static_cast<std::size_t>(grid_.volume() * numbers)) {
    generate(grid_, gauge(links_), {.beta = 6.0, .sweeps = 3, .seed = 11});
  }
  Verification written_as(const std::string& name, const WriteOptions& options = {}) {
    const std::string path = directory_ / name;
    WriteOptions how = options;
    how.overwrite = true;
    lq::write(path, grid_, gauge(links_), how);
    return io::verify(path);
  }
  static bool has(const Verification& verification, std::string_view rule) {
    return std::ranges::find(verification.findings, rule, &Finding::rule) != verification.findings.end();
  }
  void transpose() {
    for (std::size_t at = 0; at < links_.size(); at += 18) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          for (std::size_t part = 0; part < 2; ++part) {
            std::swap(links_[at + 2 * (3 * i + j) + part], links_[at + 2 * (3 * j + i) + part]);
          }
        }
      }
    }
  }
  double* link(std::int64_t t, int mu, std::int64_t number) {
    const auto site = static_cast<std::size_t>(t * 64 + number);
    return links_.data() + site * numbers + static_cast<std::size_t>(mu) * 18;
  }
  void make_zero(std::int64_t t, int mu) {
    for (std::int64_t number = 0; number < 64; ++number) std::fill_n(link(t, mu, number), 18, 0.0);
  }

  static constexpr std::uint64_t numbers = 72;
  testing::ScratchDirectory directory_;
  Grid grid_{Extents{4, 4, 4, 8}};
  std::vector<double> links_;
};

TEST_F(WrittenLinks, AreSoundWithAChecksumAndConsistentWithout) {
  EXPECT_EQ(written_as("a.ildg").verdict, Verdict::sound);
  for (const char* name : {"a.nersc", "a.milc", "a.fnal", "a.hirep", "a.openqcd"}) {
    const Verification verification = written_as(name);
    EXPECT_EQ(verification.verdict, Verdict::consistent) << name;
    EXPECT_TRUE(verification.ok) << name;
  }
}

TEST_F(WrittenLinks, ThatAreTransposedAreUnproven) {
  transpose();
  for (const char* name : {"a.ildg", "a.fnal", "a.raw"}) {
    const Verification verification = written_as(name);
    EXPECT_EQ(verification.verdict, Verdict::unproven) << name;
    EXPECT_TRUE(has(verification, "transposed")) << name;
  }
}

TEST_F(WrittenLinks, ThatKnowNothingOfEachOtherAreUnprovenUnlessTheFileVouchesForThem) {
  generate(grid_, gauge(links_), {.sweeps = 0, .over_relaxation = 0, .hot_start = true});
  const Verification unvouched = written_as("a.fnal"), with_sum = written_as("a.ildg");
  EXPECT_EQ(unvouched.verdict, Verdict::unproven);
  EXPECT_TRUE(has(unvouched, "noise"));
  EXPECT_EQ(with_sum.verdict, Verdict::sound);
  EXPECT_TRUE(has(with_sum, "noise"));
  EXPECT_EQ(written_as("b.ildg", {.measure = true}).verdict, Verdict::sound);
  EXPECT_EQ(written_as("a.openqcd").verdict, Verdict::consistent);  // which states the plaquette
}

// Of links without a sum, and a lattice that is periodic.
TEST_F(WrittenLinks, WhosePlaquettesAreNotAlikeEverywhereAreUnprovenUnlessTheFileVouchesForThem) {
  const std::vector<double> good = links_;
  const auto expect_unproven = [&](const char* what) {
    SCOPED_TRACE(what);
    const Verification unvouched = written_as("a.fnal"), with_sum = written_as("a.ildg");
    EXPECT_EQ(unvouched.verdict, Verdict::unproven);
    EXPECT_TRUE(has(unvouched, "joint"));
    EXPECT_THROW(convert(directory_ / "a.fnal", directory_ / "b.ildg", {}, {.write = {.overwrite = true}}), Error);
    EXPECT_EQ(with_sum.verdict, Verdict::sound);
    links_ = good;
  };
  EXPECT_FALSE(has(written_as("a.fnal"), "joint"));
  std::swap_ranges(link(2, 0, 0), link(3, 0, 0), link(3, 0, 0));
  expect_unproven("slices are exchanged");
  std::copy(link(6, 0, 0), link(7, 0, 0), link(4, 0, 0));
  expect_unproven("a slice is there twice");
  std::rotate(links_.begin(), links_.begin() + numbers, links_.end());
  expect_unproven("sites are moved by one");
  for (int mu = 0; mu < 4; ++mu) {
    for (std::int64_t site = 0; site < 512; ++site) {
      for (int part = 1; part < 18; part += 2) link(0, mu, site)[part] *= -1;
    }
    expect_unproven("links of one direction are conjugated");
  }
  for (std::int64_t site = 0; site < 512; ++site) {
    std::swap_ranges(link(0, 0, site), link(0, 1, site), link(0, 2, site));
  }
  expect_unproven("directions are exchanged");
  generate(grid_, gauge(links_), {.beta = 6.0, .sweeps = 3, .seed = 12});
  const std::vector<double> other = links_;
  links_ = good;
  std::copy_n(other.begin() + (link(5, 0, 0) - links_.data()), 64 * numbers, link(5, 0, 0));
  expect_unproven("a slice is of another configuration");
}

TEST_F(WrittenLinks, OfBoundariesInTimeMayBeZeroWhereAStatementOrASumAgrees) {
  for (int mu = 0; mu < 4; ++mu) make_zero(0, mu);
  make_zero(7, 3);
  const Verification stated = written_as("a.hirep");
  EXPECT_EQ(stated.verdict, Verdict::consistent);
  EXPECT_TRUE(has(stated, "fixed-boundary"));
  EXPECT_EQ(written_as("a.ildg").verdict, Verdict::sound);
  EXPECT_EQ(written_as("a.fnal").verdict, Verdict::damaged) << "nothing tells it from a slice that was lost";
}

TEST_F(WrittenLinks, ThatAreZeroWithinTheLatticeAreDamage) {
  make_zero(3, 2);
  EXPECT_EQ(written_as("a.hirep").verdict, Verdict::damaged);
  EXPECT_EQ(written_as("a.raw").verdict, Verdict::damaged);
}

TEST_F(WrittenLinks, OfHugeNumbersAreDamageHoweverMany) {
  for (const double huge : {1e301, -1e160, 1e30}) {
    for (std::int64_t number = 0; number < 64; ++number) link(2, 1, number)[5] = huge;
    for (const char* name : {"a.fnal", "a.raw"})
      EXPECT_EQ(written_as(name, {.overwrite = true}).verdict, Verdict::damaged);
  }
  for (double& value : links_) value *= 1e301;
  for (const char* name : {"a.fnal", "a.raw"})
    EXPECT_EQ(written_as(name, {.overwrite = true}).verdict, Verdict::damaged);
}

TEST_F(WrittenLinks, InDoublePrecisionAreHeldToIt) {
  link(2, 1, 7)[4] += 1e-8;
  EXPECT_EQ(written_as("a.ildg").verdict, Verdict::sound) << "the checksum says that it was written so";
  const Verification verification = written_as("a.fnal");
  EXPECT_EQ(verification.verdict, Verdict::unproven);
  EXPECT_TRUE(has(verification, "links-off"));
}

TEST_F(WrittenLinks, ThatWereInSinglePrecisionBeforeAreToldFromDamage) {
  for (double& value : links_) value = static_cast<float>(value);
  const Verification verification = written_as("a.fnal");
  EXPECT_EQ(verification.verdict, Verdict::consistent);
  EXPECT_TRUE(has(verification, "single-in-double"));
}

// The plaquette of openQCD's files is a double, that of texts has as many digits as were written.
TEST_F(WrittenLinks, AreHeldAgainstEveryDigitOfAStatedPlaquette) {
  const double plaquette = lq::plaquette(grid_, gauge(links_)).average;
  const std::string path = directory_ / "a.openqcd";
  lq::write(path, grid_, gauge(links_));
  EXPECT_EQ(io::verify(path).verdict, Verdict::consistent);
  const auto with_plaquette = [&](double off) {
    const double changed = 3 * plaquette + off;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(16);
    file.write(reinterpret_cast<const char*>(&changed), sizeof changed);
  };
  with_plaquette(1e-9);
  EXPECT_EQ(io::verify(path).verdict, Verdict::damaged);
  with_plaquette(1e-12);
  EXPECT_EQ(io::verify(path).verdict, Verdict::consistent);
}

TEST_F(WrittenLinks, AgreeWithAStatedPlaquetteOfFewerDigits) {
  const double plaquette = lq::plaquette(grid_, gauge(links_)).average;
  for (const int digits : {6, 8, 10, 14}) {
    const auto verify_with = [&](double value) {
      const std::string text = fmt::format("plaquette = {:.{}f}", value, digits);
      return written_as("x.scidac", {.metadata = {{"xlf-info", text}}, .verify = Verify::none, .overwrite = true});
    };
    EXPECT_EQ(verify_with(plaquette).verdict, Verdict::consistent) << digits;
    EXPECT_EQ(verify_with(plaquette + std::max(3 * std::pow(10.0, -digits), 1e-10)).verdict, Verdict::damaged)
        << digits;
  }
}

TEST(Spinors, WithNumbersThatAreNoneAreUnprovenWithoutAChecksum) {
  testing::ScratchDirectory directory;
  const Grid grid{Extents{4, 4, 4, 4}};
  std::vector<double> numbers(static_cast<std::size_t>(grid.volume() * 24), 0.25);
  for (const double odd : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    numbers[1234] = odd;
    const std::string raw = directory / "a.raw", scidac = directory / "a.scidac";
    lq::write(raw, grid, spinor(numbers), {.verify = Verify::none, .overwrite = true});
    EXPECT_EQ(io::verify(raw).verdict, Verdict::unproven);
    lq::write(scidac, grid, spinor(numbers), {.overwrite = true});
    EXPECT_EQ(io::verify(scidac).verdict, Verdict::sound) << "the checksum proves that they were written so";
  }
}

}  // namespace
}  // namespace lq::io
