// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Errors: pinned numbers, names, exit codes, and what becomes of errno.
#include <limequat/error.hpp>

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <set>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace lq {
namespace {

struct Row {
  Code code;
  int number;
  std::string_view name;
  int exit_code;
};

constexpr Row rows[] = {
    {Code::ok, 0, "ok", 0},
    {Code::invalid_argument, 10, "invalid_argument", 2},
    {Code::ranks_disagree, 11, "ranks_disagree", 2},
    {Code::wrong_state, 12, "wrong_state", 2},
    {Code::unsupported, 13, "unsupported", 2},
    {Code::not_found, 20, "not_found", 3},
    {Code::exists, 21, "exists", 2},
    {Code::no_permission, 22, "no_permission", 4},
    {Code::no_space, 23, "no_space", 4},
    {Code::io, 24, "io", 4},
    {Code::unknown_format, 30, "unknown_format", 3},
    {Code::malformed, 31, "malformed", 3},
    {Code::truncated, 32, "truncated", 3},
    {Code::checksum_mismatch, 33, "checksum_mismatch", 1},
    {Code::no_such_record, 34, "no_such_record", 3},
    {Code::out_of_memory, 40, "out_of_memory", 4},
    {Code::too_large, 41, "too_large", 3},
    {Code::communication, 50, "communication", 4},
    {Code::internal, 90, "internal", 4},
};

TEST(Code, HasPinnedNumbersNamesAndExitCodes) {
  for (const Row& row : rows) {
    EXPECT_EQ(static_cast<int>(row.code), row.number) << row.name;
    EXPECT_EQ(name(row.code), row.name);
    EXPECT_EQ(Error(row.code, "").exit_code(), row.exit_code) << row.name;
  }
}

TEST(Code, OfAnUnknownNumberIsUnknown) { EXPECT_EQ(name(static_cast<Code>(77)), "unknown"); }

TEST(Error, CarriesSentenceAndFacts) {
  ErrorFacts facts;
  facts.path = "a.lime";
  facts.offset = 144;
  facts.rank = 3;
  const Error error(Code::truncated, "a.lime: ends early", facts);
  EXPECT_STREQ(error.what(), "a.lime: ends early");
  EXPECT_EQ(error.code(), Code::truncated);
  EXPECT_EQ(error.facts().path, "a.lime");
  EXPECT_EQ(error.facts().offset, 144u);
  EXPECT_EQ(error.facts().rank, 3);
}

TEST(Version, IsThatOfTheHeader) {
  EXPECT_EQ(std::string(version()), std::to_string(LQ_VERSION_MAJOR) + "." + std::to_string(LQ_VERSION_MINOR) + "." +
                                        std::to_string(LQ_VERSION_PATCH));
}

TEST(Errno, BecomesACode) {
  const std::map<int, Code> expected = {{ENOENT, Code::not_found},
                                        {EACCES, Code::no_permission},
                                        {EPERM, Code::no_permission},
                                        {EROFS, Code::no_permission},
                                        {ENOSPC, Code::no_space},
                                        {EDQUOT, Code::no_space},
                                        {EFBIG, Code::no_space},
                                        {EEXIST, Code::exists},
                                        {ENOMEM, Code::out_of_memory},
                                        {EIO, Code::io},
                                        {EISDIR, Code::io},
                                        {EMFILE, Code::io},
                                        {ENOTDIR, Code::io},
                                        {0, Code::io},
                                        {99999, Code::io}};
  for (const auto& [number, code] : expected) EXPECT_EQ(base::code_of_errno(number), code) << number;
}

TEST(Errno, BecomesASentenceWithRemedy) {
  const Error error = base::errno_error("conf/a.lime", "open for reading", ENOENT);
  EXPECT_STREQ(error.what(),
               "conf/a.lime: cannot open for reading: No such file or directory "
               "(check the path and that its directory exists)");
  EXPECT_TRUE(
      std::string(base::errno_error("", "open for reading", ENOENT).what()).starts_with("an empty path: cannot"));
  EXPECT_EQ(error.code(), Code::not_found);
  EXPECT_EQ(error.facts().path, "conf/a.lime");
  EXPECT_EQ(error.facts().system_errno, ENOENT);
}

TEST(Errno, HasARemedyOfItsOwnForEachCommonFailure) {
  std::set<std::string> remedies;
  const int common[] = {ENOENT, EACCES, EROFS,  ENOSPC, EDQUOT,  EFBIG, EEXIST,
                        ENOMEM, EMFILE, ENFILE, EISDIR, ENOTDIR, EIO};
  for (const int number : common) {
    const std::string sentence = base::errno_error("p", "write", number).what();
    ASSERT_TRUE(sentence.ends_with(")")) << sentence;
    remedies.insert(sentence.substr(sentence.rfind('(')));
  }
  EXPECT_GE(remedies.size(), std::size(common) - 1);  // (ulimit -f) ends in a bracket of its own
}

TEST(Errno, WithoutRemedyIsStillASentence) {
  EXPECT_STREQ(base::errno_error("p", "read", EBADF).what(), "p: cannot read: Bad file descriptor");
}

TEST(Checked, NoticesOverflow) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(base::checked_add(most - 1, 1), most);
  EXPECT_EQ(base::checked_add(most, 1), std::nullopt);
  EXPECT_EQ(base::checked_multiply(1u << 31, 1u << 31), std::uint64_t{1} << 62);
  EXPECT_EQ(base::checked_multiply(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
  EXPECT_EQ(base::checked_multiply(0, most), 0u);
}

TEST(FileError, NamesThePathInFrontOfItsSentenceAndAmongItsFacts) {
  const Error plain = base::file_error(Code::truncated, std::string("a{}b"), "{} of {{{}}} bytes", 3, "four");
  EXPECT_EQ(plain.code(), Code::truncated);
  EXPECT_STREQ(plain.what(), "a{}b: 3 of {four} bytes");
  EXPECT_EQ(plain.facts().path, "a{}b");
  const Error placed = base::file_error(Code::io, {.path = "file", .offset = 7, .expected = "1"}, "cannot be read");
  EXPECT_STREQ(placed.what(), "file: cannot be read");
  EXPECT_EQ(placed.facts().offset, 7U);
  EXPECT_EQ(placed.facts().expected, "1");
}

TEST(Fail, PutsThePathOfItsFactsInFrontOfTheSentence) {
  const auto error_of = [](ErrorFacts facts) {
    try {
      base::fail(Code::truncated, std::move(facts), "{} of {{{}}} bytes", 3, "four");
    } catch (const Error& error) {
      return error;
    }
  };
  const Error of_file = error_of({.path = "a{}b", .offset = 7});
  EXPECT_EQ(of_file.code(), Code::truncated);
  EXPECT_STREQ(of_file.what(), "a{}b: 3 of {four} bytes");
  EXPECT_EQ(of_file.facts().path, "a{}b");
  EXPECT_EQ(of_file.facts().offset, 7U);
  EXPECT_STREQ(error_of({.expected = "1"}).what(), "3 of {four} bytes");
}

TEST(Checked, ThrowsTooLargeThatNamesTheQuantity) {
  EXPECT_EQ(base::add_or_throw(2, 3, "sum"), 5u);
  EXPECT_EQ(base::multiply_or_throw(2, 3, "product"), 6u);
  try {
    base::multiply_or_throw(std::uint64_t{1} << 40, std::uint64_t{1} << 40, "payload");
    FAIL() << "no overflow";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::too_large);
    EXPECT_STREQ(error.what(), "payload: 1099511627776 * 1099511627776 does not fit 64 bits");
  }
  EXPECT_THROW(base::add_or_throw(~std::uint64_t{0}, 1, "sum"), Error);
}

}  // namespace
}  // namespace lq
