// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/ensemble.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "ensemble/observables.hpp"

namespace lq::ensemble {
namespace {

struct Column {
  std::string_view name;
  std::string_view sql;
  bool is_number = false;
};

constexpr std::array columns = {
    Column{"path", "full_path(path)"},
    Column{"format", "format"},
    Column{"kind", "kind"},
    Column{"lattice", "lattice"},
    Column{"precision", "precision"},
    Column{"group", "gauge_group"},
    Column{"size", "size", true},
    Column{"fields", "fields", true},
    Column{"checksum", "coalesce(checksum, computed_checksum)"},
    Column{"cksum", "cksum", true},
    Column{"plaquette", "coalesce(measured_plaquette, plaquette)", true},
    Column{"link_trace", "link_trace", true},
    Column{"trajectory", "trajectory", true},
    Column{"series", "full_path(series)"},
    Column{"state", "CASE WHEN missing_since IS NULL THEN state ELSE 'missing' END"},
    Column{"modified", "modified"},
    Column{"indexed", "indexed_at"},
    Column{"verified", "verified_at"},
};

constexpr std::array<std::string_view, 8> states = {"indexed", "sound",      "consistent", "unproven",
                                                    "damaged", "incomplete", "unreadable", "missing"};

constexpr std::string_view folder_word = "below";

struct Comparison {
  std::string_view text;
  std::string_view sql;
};
// Longer ones first.
constexpr std::array comparisons = {Comparison{"==", "="},  Comparison{"!=", "<>"}, Comparison{"<>", "<>"},
                                    Comparison{"<=", "<="}, Comparison{">=", ">="}, Comparison{"!~", "NOT GLOB"},
                                    Comparison{"=", "="},   Comparison{"<", "<"},   Comparison{">", ">"},
                                    Comparison{"~", "GLOB"}};

std::vector<Column> with_observables() {
  std::vector<Column> all(columns.begin(), columns.end());
  for (const ObservableColumn& column : observable_columns) all.push_back({column.name, column.sql, true});
  return all;
}

const std::vector<Column>& all_columns() {
  static const std::vector<Column> all = with_observables();
  return all;
}

const Column* find_column(std::string_view name) {
  const std::vector<Column>& all = all_columns();
  const auto found = std::ranges::find(all, name, &Column::name);
  return found == all.end() ? nullptr : &*found;
}

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view ends_of_words = " \t\r\n()=!<>~\"'";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Condition parse() {
    skip_blanks();
    if (at_ == text_.size()) return {.sql = "1", .values = {}, .properties = {}};
    condition_.sql = any(0);
    if (at_ < text_.size()) fail("a name");
    return std::move(condition_);
  }

 private:
  // Nesting of parentheses and `not`: each level may take seven of the hundred stack places of SQLite's parser.
  static constexpr int deepest = 10;
  static constexpr std::size_t most = 400;  // terms; SQLite nests each one level deeper

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string found =
        at_ < text_.size() ? fmt::format("\"{}\"", base::printable(text_.substr(at_), 24)) : std::string("the end");
    throw Error(Code::invalid_argument,
                fmt::format("the expression \"{}\": at character {}: found {}, expected {}",
                            base::printable(text_, 120), at_ + 1, found, expected),
                {.expected = expected, .found = found});
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  // A keyword of the grammar, not the beginning of a longer word, and not a name that is compared.
  bool take_keyword(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && ends_of_words.find(text_[end]) == std::string_view::npos) return false;
    const std::size_t before = at_;
    at_ = end;
    skip_blanks();
    if (comparison_here() == nullptr) return true;
    at_ = before;
    return false;
  }

  const Comparison* comparison_here() const {
    const auto is_here = [&](const Comparison& c) { return text_.substr(at_).starts_with(c.text); };
    const auto found = std::ranges::find_if(comparisons, is_here);
    return found == comparisons.end() ? nullptr : &*found;
  }

  // In parentheses only if there are several: SQLite's parser supports only some tens of open ones.
  static std::string joined(const std::vector<std::string>& parts, const char* by) {
    return parts.size() == 1 ? parts.front() : fmt::format("({})", fmt::join(parts, by));
  }

  std::string any(int depth) {
    std::vector<std::string> parts = {all(depth)};
    while (take_keyword("or")) parts.push_back(all(depth));
    return joined(parts, " OR ");
  }

  bool goes_on() {
    if (at_ == text_.size() || text_[at_] == ')') return false;
    const std::size_t before = at_;
    const bool is_or = take_keyword("or");
    at_ = before;
    return !is_or;
  }

  std::string all(int depth) {
    std::vector<std::string> parts = {one(depth)};
    while (goes_on()) {
      take_keyword("and");
      parts.push_back(one(depth));
    }
    return joined(parts, " AND ");
  }

  std::string one(int depth) {
    if (depth > deepest) fail("fewer parentheses");
    if (take_keyword("not")) return fmt::format("NOT {}", one(depth + 1));
    if (take("(")) {
      std::string sql = any(depth + 1);
      if (!take(")")) fail("\")\"");
      return sql;
    }
    return term();
  }

  std::string term() {
    if (++terms_ > most) fail("fewer terms");
    const std::string name = word("a name");
    skip_blanks();
    const Comparison* comparison = comparison_here();
    if (comparison == nullptr) return presence(name);
    at_ += comparison->text.size();
    skip_blanks();
    const std::size_t place = at_;
    const std::string value = word("a value");
    skip_blanks();
    if (const Column* column = find_column(name)) return compared(*column, *comparison, value, place);
    if (name == folder_word) return below(*comparison, value, place);
    return property(name, *comparison, value);
  }

  std::string word(const char* expected) {
    if (at_ == text_.size()) fail(expected);
    const char quote = text_[at_];
    if (quote == '"' || quote == '\'') {
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos) fail(fmt::format("{} with a closing {}", expected, quote));
      std::string found(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return found;
    }
    const std::size_t end = std::min(text_.find_first_of(ends_of_words, at_), text_.size());
    if (end == at_) fail(expected);
    std::string found(text_.substr(at_, end - at_));
    at_ = end;
    return found;
  }

  std::string below(const Comparison& comparison, const std::string& folder, std::size_t place) {
    if (comparison.sql != "=" && comparison.sql != "<>") {
      at_ = place;
      fail(fmt::format("{}= or {}!=, and a folder", folder_word, folder_word));
    }
    condition_.values.emplace_back(full_path(folder));
    return fmt::format("({}is_below(full_path(path), ?))", comparison.sql == "=" ? "" : "NOT ");
  }

  // A state, or a name alone: matches files that have it.
  std::string presence(const std::string& name) {
    if (std::ranges::find(states, name) != states.end()) {
      condition_.values.emplace_back(name);
      return fmt::format("({} = ?)", find_column("state")->sql);
    }
    if (const Column* column = find_column(name)) return fmt::format("({} IS NOT NULL)", column->sql);
    note(name);
    return "(id IN (SELECT file_id FROM properties WHERE name = ? COLLATE NOCASE))";
  }

  std::string compared(const Column& column, const Comparison& comparison, const std::string& value,
                       std::size_t place) {
    const bool is_pattern = comparison.text.back() == '~';
    if (column.is_number && !is_pattern) {
      const auto number = base::parse_double(value);
      if (!number) {
        at_ = place;
        fail(fmt::format("a number, which {} is compared with", column.name));
      }
      if (const auto whole = base::parse_u64(value); whole && *whole <= INT64_MAX) {
        condition_.values.emplace_back(static_cast<std::int64_t>(*whole));
      } else {
        condition_.values.emplace_back(*number);
      }
    } else {
      condition_.values.emplace_back(value);
    }
    return fmt::format("coalesce({} {} ?, 0)", column.sql, comparison.sql);
  }

  // Numbers are compared as numbers, so that 6.0 equals 6; anything else as a text.
  std::string property(const std::string& name, const Comparison& comparison, const std::string& value) {
    note(name);
    const auto number = base::parse_double(value);
    const bool is_pattern = comparison.text.back() == '~';
    std::string test;
    if (number && !is_pattern) {
      condition_.values.emplace_back(*number);
      test = fmt::format("number {} ?", comparison.sql);
    } else {
      condition_.values.emplace_back(value);
      test = fmt::format("value {} ?", comparison.sql);
    }
    return fmt::format("(id IN (SELECT file_id FROM properties WHERE name = ? COLLATE NOCASE AND {}))", test);
  }

  void note(const std::string& name) {
    condition_.values.emplace_back(name);
    condition_.properties.push_back(name);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t terms_ = 0;
  Condition condition_;
};

}  // namespace

Condition parse_expression(std::string_view text) { return Parser(text).parse(); }

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const Column& column : all_columns()) names.emplace_back(column.name);
  return names;
}

std::vector<std::string> words_of_expressions() {
  std::vector<std::string> words = column_names();
  words.insert(words.end(), states.begin(), states.end());
  words.emplace_back(folder_word);
  return words;
}

std::string_view column_named(std::string_view name) {
  if (const Column* column = find_column(name)) return column->sql;
  const std::vector<std::string> names = column_names();
  const auto meant = base::nearest(std::string(name), names);
  throw Error(Code::invalid_argument,
              fmt::format("there is no column \"{}\"{}; there are {}", base::printable(name),
                          meant ? fmt::format(", perhaps {}", *meant) : "", fmt::join(names, ", ")),
              {.expected = "a column", .found = std::string(name)});
}

}  // namespace lq::ensemble
