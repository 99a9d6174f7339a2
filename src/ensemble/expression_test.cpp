// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Expressions, asked of a small catalogue.
#include "ensemble/ensemble.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limequat/error.hpp>

#include "ensemble/database.hpp"

namespace lq::ensemble {
namespace {

class FindExpression : public ::testing::Test {
 protected:
  void SetUp() override {
    add("/a/conf.1", 1, 0.59, "indexed", "6.0");
    add("/a/conf.2", 2, 0.60, "sound", "6.00");
    add("/a/conf.3", 3, 0.61, "damaged", "6.2");
    add("/b/other", std::nullopt, std::nullopt, "sound", "quenched");
    database_.run("UPDATE files SET missing_since = 'then' WHERE path = '/a/conf.2'");
  }

  void add(const std::string& path, std::optional<std::int64_t> trajectory, std::optional<double> plaquette,
           const std::string& state, const std::string& beta) {
    database_
        .prepare(
            "INSERT INTO files (path, size, modified_ns, settled, modified, device, inode, fields, series, state, "
            "indexed_at, trajectory, plaquette, lattice) VALUES (?, 100, 0, 1, '2026-01-01', 0, 0, 1, 's', ?, 'now', "
            "?, ?, "
            "'4x4x4x8')")
        .bind(path, state, trajectory, plaquette)
        .run();
    const std::int64_t id = database_.whole("SELECT max(id) FROM files");
    const bool is_number = beta.find('.') != std::string::npos;
    database_.prepare("INSERT INTO properties VALUES (?, NULL, 'beta', ?, ?, 'xlf-info')")
        .bind(id, beta, is_number ? std::optional(std::stod(beta)) : std::nullopt)
        .run();
  }

  // The last letters of the paths that fulfil it.
  std::string found(const std::string& text) {
    const Condition condition = parse_expression(text);
    Statement rows = database_.prepare(fmt::format("SELECT path FROM files WHERE {} ORDER BY path", condition.sql));
    int number = 0;
    for (const Value& value : condition.values) rows.bind_at(++number, value);
    std::string letters;
    while (rows.step()) letters += rows.text(0).back();
    return letters;
  }

  Database database_ = make_in_memory();
};

TEST_F(FindExpression, ComparesObservablesOfFilesAsTheyAre) {
  EXPECT_EQ(found("charge>-100"), "");
  EXPECT_EQ(found("not t0 wilson_1x1"), "");
  database_.run(
      "INSERT INTO observables SELECT id, 'charge', id, size, modified_ns FROM files; UPDATE observables SET size = 1 "
      "WHERE file_id = 2");
  EXPECT_EQ(found("charge>0"), "13r");
  EXPECT_EQ(found("charge=3 or not charge"), "23");
}

TEST_F(FindExpression, ComparesColumnsAndProperties) {
  EXPECT_EQ(found(""), "123r");
  EXPECT_EQ(found("trajectory>=2"), "23");
  EXPECT_EQ(found("trajectory >= 2 plaquette<0.605"), "2");
  EXPECT_EQ(found("beta=6.0"), "12");
  EXPECT_EQ(found("beta=6"), "12");
  EXPECT_EQ(found("BETA>6"), "3");
  EXPECT_EQ(found("beta=quenched"), "r");
  EXPECT_EQ(found("lattice=4x4x4x8 and path~'/b/*'"), "r");
  EXPECT_EQ(found("path!~*conf*"), "r");
  EXPECT_EQ(found("trajectory"), "123");
  EXPECT_EQ(found("size==100 size<>99"), "123r");
}

TEST_F(FindExpression, JoinsByAndOrNotAndParentheses) {
  EXPECT_EQ(found("trajectory=1 or trajectory=3"), "13");
  EXPECT_EQ(found("trajectory=1 or trajectory=3 beta=6.2"), "13");
  EXPECT_EQ(found("(trajectory=1 or trajectory=3) and beta=6.2"), "3");
  EXPECT_EQ(found("not trajectory=1"), "23r");  // also where there is none
  EXPECT_EQ(found("not not trajectory=1"), "1");
  EXPECT_EQ(found("not (trajectory<3)"), "3r");
}

TEST_F(FindExpression, KnowsStates) {
  EXPECT_EQ(found("damaged"), "3");
  EXPECT_EQ(found("missing"), "2");
  EXPECT_EQ(found("state=sound"), "r");
  EXPECT_EQ(found("not damaged trajectory"), "12");
}

// Whatever is typed is a value, and the table is still there afterwards.
TEST_F(FindExpression, TakesNothingForSql) {
  EXPECT_EQ(found("path=\"x' OR '1'='1\""), "");
  EXPECT_EQ(found("beta=\"'; DROP TABLE files; --\""), "");
  EXPECT_EQ(found("\"a') OR (1=1\"=2"), "");
  EXPECT_EQ(found("notes=1"), "");
  EXPECT_EQ(found(""), "123r");
}

TEST_F(FindExpression, SaysWhereItIsWrong) {
  for (const auto& [text, place] : std::vector<std::pair<std::string, std::string>>{
           {"trajectory>=", "at character 13: found the end, expected a value"},
           {"(beta=6.0", "at character 10: found the end, expected \")\""},
           {"trajectory=many", "at character 12: found \"many\", expected a number, which trajectory"},
           {"beta=6.0 )", "at character 10"},
           {"='a'", "at character 1: found \"='a'\", expected a name"},
           {"path='a", "closing '"},
           {"not", "at character 4: found the end"}}) {
    try {
      parse_expression(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::invalid_argument);
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(parse_expression(std::string(100'000, '(')), Error);
  std::string many;
  for (int k = 0; k < 1000; ++k) many += "beta=1 ";
  EXPECT_THROW(parse_expression(many), Error);
}

// As many terms as it takes, SQLite takes, too.
TEST_F(FindExpression, MayBeLong) {
  std::string many = "beta=6.0";
  for (int k = 0; k < 399; ++k) many += " or beta=6.0";
  EXPECT_EQ(found(many), "12");
  std::string deep = "beta=6.0";
  for (int k = 0; k < 10; ++k) deep = "(beta=7 or beta=6.0 and " + deep + ")";
  EXPECT_EQ(found(deep), "12");
  std::string negated = "beta=6.0";
  for (int k = 0; k < 3; ++k) negated = "(beta=7 or path and not (" + negated + "))";
  EXPECT_EQ(found(negated), "3r");
}

}  // namespace
}  // namespace lq::ensemble
