// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of modes that tools/make_golden_modes.py wrote, whole and with one defect each.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "format/formats.hpp"
#include "format/modes/set.hpp"
#include "io/verify.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sets_in(const char* folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(LQ_SOURCE_DIR) / "tests/golden" / folder / "modes")) {
    if (entry.path().extension() == ".modes") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// What a reader makes of it, as NAME.expect says it.
std::string account_of(const Catalog& catalog) {
  std::ostringstream account;
  for (const FieldEntry& field : catalog.fields) {
    const format::modes::Mode mode = format::modes::mode_of(field.metadata);
    const auto real = [](double number) { return fmt::format("{:.17g}", number); };
    account << "mode " << real(mode.eigenvalue.real()) << ' ' << real(mode.eigenvalue.imag()) << ' '
            << (mode.residual ? real(*mode.residual) : "-") << ' ' << to_string(field.sums.checksum().value()) << '\n';
  }
  for (const Finding& finding : catalog.findings) {
    if (finding.rule.starts_with("modes-")) account << "rule " << finding.rule << '\n';
  }
  return account.str();
}

// Numbers of the account in the same digits.
std::string expected_for(const fs::path& path) {
  std::ifstream file(fs::path(path).replace_extension(".expect"));
  std::ostringstream account;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word, shown;
    while (words >> word) {
      const bool is_number =
          word.find_first_of("0123456789") != std::string::npos && word.find('/') == std::string::npos;
      if (!shown.empty()) shown += ' ';
      shown += is_number ? fmt::format("{:.17g}", std::stod(word)) : word;
    }
    account << shown << '\n';
  }
  return account.str();
}

TEST(GoldenModes, GoodOnesAreWhatTheyShouldBeAndWhole) {
  ASSERT_GE(sets_in("good").size(), 7U);
  for (const fs::path& path : sets_in("good")) {
    const Catalog catalog = inspect(path.string());
    EXPECT_EQ(catalog.format, "modes") << path;
    EXPECT_EQ(account_of(catalog), expected_for(path)) << path;
    EXPECT_TRUE(validate(path.string()).empty()) << path << ": " << validate(path.string()).front().message;
    const Verification verdict = io::verify(path.string());
    EXPECT_TRUE(verdict.ok) << path;
    for (const FieldVerdict& field : verdict.fields) EXPECT_EQ(field.status, ChecksumStatus::ok) << path;
  }
}

TEST(GoldenModes, BadOnesAreWhatIsSaidOfThem) {
  ASSERT_GE(sets_in("bad").size(), 9U);
  for (const fs::path& path : sets_in("bad")) EXPECT_EQ(account_of(inspect(path.string())), expected_for(path)) << path;
}

TEST(GoldenModes, DescriptionsAreReadWithTheirTypes) {
  const Catalog catalog = inspect((fs::path(LQ_SOURCE_DIR) / "tests/golden/good/modes/parameters.modes").string());
  const format::modes::Description description = format::modes::decode_description(catalog.metadata.front().second);
  const std::vector<modes::Parameter> expected{{"kappa", 0.125},
                                               {"steps", std::int64_t{-30}},
                                               {"shift", std::complex<double>(1, -2.5)},
                                               {"solver", std::string("a <b>")}};
  EXPECT_EQ(description.parameters, expected);
  EXPECT_EQ(description.operator_name, "hermitian Wilson");
}

}  // namespace
}  // namespace lq
