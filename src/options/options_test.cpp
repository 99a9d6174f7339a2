// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows against what structs and texts say by themselves.
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/staging.hpp>

#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

#include <limequat.h>

#include "options/agreed.hpp"
#include "options/option.hpp"

namespace lq::options {
namespace {

const Option& write_option(std::string_view name) { return row_of(table_named("WriteOptions"), name); }

std::string complaint(const Option& row, void* options, std::string_view text) {
  try {
    row.member.take(options, text, row, "--it");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    return error.what();
  }
  return "none";
}

TEST(OptionTables, SetMembersFromTexts) {
  WriteOptions options;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"verify", "read-back"},
                                                                  {"sync", "data"},
                                                                  {"overwrite", "yes"},
                                                                  {"chunk_bytes", "65536"},
                                                                  {"threads", "2"},
                                                                  {"precision", "single"},
                                                                  {"metadata", "a=b=c"},
                                                                  {"strategy", "messages"}}) {
    const Option& row = write_option(name);
    row.member.take(&options, text, row, row.name);
  }
  EXPECT_EQ(options.verify, Verify::read_back);
  EXPECT_EQ(options.sync, Sync::data);
  EXPECT_TRUE(options.overwrite);
  EXPECT_EQ(options.route.chunk_bytes, 65536U);
  EXPECT_EQ(options.route.threads, 2);
  EXPECT_EQ(options.precision, Precision::single);
  EXPECT_EQ(options.metadata, (Metadata{{"a", "b=c"}}));
  EXPECT_EQ(options.route.strategy, Strategy::messages);
}

TEST(OptionTables, TellWhatIsExpected) {
  WriteOptions options;
  EXPECT_EQ(complaint(write_option("chunk_bytes"), &options, "-1"),
            "--it: \"-1\" is not a whole number from 0 (64 bit)");
  CopyOptions copying;
  EXPECT_EQ(complaint(row_of(table_named("CopyOptions"), "block_bytes"), &copying, "0"),
            "--it: \"0\" is not a whole number from 1 (64 bit)");
  EXPECT_EQ(complaint(write_option("verify"), &options, "checksun"),
            "--it: \"checksun\" is none of none, checksum, read-back; did you mean \"checksum\"?");
  EXPECT_EQ(complaint(write_option("overwrite"), &options, "perhaps"), "--it: \"perhaps\" is not yes or no");
  EXPECT_EQ(complaint(write_option("metadata"), &options, "=b"), "--it: \"=b\" is not of the form NAME=TEXT");
}

TEST(OptionTables, KnowOlderNamesAndSuggest) {
  EXPECT_EQ(&write_option("force"), &write_option("overwrite"));
  EXPECT_EQ(&write_option("chunk"), &write_option("chunk_bytes"));
  try {
    write_option("overwrit");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown option \"overwrit\"; did you mean \"overwrite\"?");
  }
}

// A row's place in C is where the compiler puts the member.
TEST(OptionTables, KnowThePlacesOfMembersOfC) {
  EXPECT_EQ(write_option("overwrite").member.c.front().offset, offsetof(lq_write_options, overwrite));
  EXPECT_EQ(write_option("threads").member.c.front().offset, offsetof(lq_write_options, threads));
  EXPECT_EQ(write_option("metadata").member.c.back().offset, offsetof(lq_write_options, metadata_count));
  EXPECT_EQ(table_named("ReadOptions").c_size, sizeof(lq_read_options));
}

TEST(OptionTables, GoToCAndBack) {
  WriteOptions options;
  options.sync = Sync::none;
  options.slice_checksums = false;
  options.precision = Precision::double_;
  options.route.alignment = 4096;
  lq_write_options c{};
  WriteOptions back;
  for (const Option& row : table_named("WriteOptions").rows) {
    row.member.to_c(&options, &c);
    row.member.from_c(&back, &c, row);
  }
  EXPECT_EQ(c.sync, LQ_SYNC_NONE);
  EXPECT_EQ(c.precision, LQ_DOUBLE);
  EXPECT_EQ(back.sync, Sync::none);
  EXPECT_FALSE(back.slice_checksums);
  EXPECT_EQ(back.precision, Precision::double_);
  EXPECT_EQ(back.route.alignment, 4096U);
  c.sync = 7;
  const Option& sync = write_option("sync");
  EXPECT_THROW(sync.member.from_c(&back, &c, sync), Error);
}

TEST(OptionTables, StateWhatRanksMustHaveAlike) {
  WriteOptions options;
  options.overwrite = true;
  const std::vector<comm::StatedArgument> all = stated(options);
  const auto has = [&](std::string_view what) {
    return std::ranges::any_of(all, [&](const comm::StatedArgument& one) { return one.what == what; });
  };
  EXPECT_TRUE(has("the option overwrite"));
  EXPECT_TRUE(has("the option strategy"));
  EXPECT_FALSE(has("the option threads"));    // each as it likes
  EXPECT_FALSE(has("the option precision"));  // what it comes to is compared
  EXPECT_EQ(stated(RouteOptions{}).size(), 6U);
}

// The reference page and every help are made of them.
TEST(OptionTables, SayWhatEachOptionEntails) {
  for (const Table* const table : tables()) {
    EXPECT_EQ(&table_named(table->name), table);
    for (const Option& row : table->rows) {
      EXPECT_FALSE(row.meaning.empty()) << row.name;
      EXPECT_GE(row.advice.size(), 25U) << row.name;
      EXPECT_TRUE(row.member.text != nullptr) << row.name;
    }
  }
}

}  // namespace
}  // namespace lq::options
