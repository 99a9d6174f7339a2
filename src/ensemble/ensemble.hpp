// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations on a catalogue: indexing folders, verifying files again, assessing members, making a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"
#include "ensemble/files.hpp"

namespace lq::ensemble {

// What is unusual among the files of a catalogue.

// Trajectories missing between the first and the last of a series, at the most frequent step (the shortest
// of equally frequent ones); nothing if none is missing, or for fewer than three.
std::optional<ensemble::Gaps> gaps_in(std::vector<std::int64_t> trajectories);

inline constexpr std::size_t fewest_numbers = 8;  // that determine what is usual

struct Spread {
  double median = 0;
  double deviation = 0;  // 1.4826 times the median of the distances from the median
};
Spread spread_of(std::vector<double> numbers);
// Indices of numbers further from the median than six standard deviations, estimated by the median of the distances;
// none for fewer than `fewest_numbers`.
std::vector<std::size_t> outliers_of(const std::vector<double>& numbers);

ensemble::Assessment assess(const Database& database);

// Updates a catalogue from the contents of folders.

// No folders: those that were indexed before. The assessment is not included.
ensemble::IndexReport bring_up_to_date(Database& database, const std::vector<std::string>& folders,
                                       const ensemble::CatalogueOptions& options);

// Verifies files of a catalogue again, and reports what has happened to them since.

// Seconds of "30d", "12h": a number and one of s, m, h, d, w. invalid_argument.
std::int64_t seconds_of(const std::string& since);

// A physical file of an entry and its CRC.
struct SummedFile {
  std::string path;
  FileStatus status;
  std::uint32_t cksum = 0;
};

// The state of an entry's files when it last passed.
struct SoundState {
  std::string at;
  std::vector<SummedFile> files;
};

struct Judged {
  std::string verdict;
  std::string sentence;
};

// For an entry whose files could be read: the result of its verification, and whether their bytes changed
// although size and time stamp did not.
Judged judge(const std::optional<SoundState>& before, const std::vector<SummedFile>& now, Verdict verdict);

ensemble::ScrubReport scrub(Database& database, const ensemble::CatalogueOptions& options);

// The files of src/ensemble/page as texts in the library, so no installed file has to be found.
extern const std::string_view page_frame;  // with {{title}}, {{subtitle}}, {{style}}, {{data}}, {{script}}
extern const std::string_view page_style;
extern const std::string_view page_script;

// An HTML page about an ensemble: one file that needs no network.

// JSON for an element <script>, escaped so that it cannot end the element.
std::string inside_script(std::string json);
std::string inside_html(std::string_view text);

// The page about the files of these folders; none: all. Without a title it uses its ensembles' titles. `earlier` is the
// text of the previous page: the differences are shown.
std::string page_text(const Database& database, const std::vector<std::string>& folders, const std::string& title,
                      std::string_view earlier = {});

ensemble::PageReport write_page(const std::vector<std::string>& folders, const std::string& page,
                                const ensemble::CatalogueOptions& options);

// Expressions of `lq find`: "beta=6.0 trajectory>=1000 not damaged" as an SQL condition with parameters. No part of
// the input becomes part of the statement.
//
//   any        = all { "or" all }
//   all        = one { ["and"] one }
//   one        = "not" one | "(" any ")" | name [ comparison value ]
//   comparison = "=" | "==" | "!=" | "<>" | "<" | "<=" | ">" | ">=" | "~" | "!~"
//
// "below=DIR" are the files in a folder.
struct Condition {
  std::string sql;                      // over the table `files`; "1" for an empty expression
  std::vector<Value> values;            // of its parameters, in order
  std::vector<std::string> properties;  // names that are not columns
};

// invalid_argument states the position and what was expected.
Condition parse_expression(std::string_view text);

// invalid_argument: no file of the catalogue has a property of that name; similar names are suggested. `further` is
// added to the sentence.
void require_known_names(const Database& database, const Condition& condition, std::string_view further = {});

// The SQL of a column by its name in find(); invalid_argument lists the existing names.
std::string_view column_named(std::string_view name);
std::vector<std::string> column_names();
// The same and all keywords and states.
std::vector<std::string> words_of_expressions();

}  // namespace lq::ensemble
