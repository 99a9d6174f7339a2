// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is done with a catalogue: folders indexed, files verified again, members assessed, all of it shown as a page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/ensemble.hpp>

#include "ensemble/database.hpp"
#include "ensemble/files.hpp"

namespace lq::ensemble {

// What stands out among the files of a catalogue.

// Trajectories missing between the first and the last of a series, at the step that most neighbours have (the shortest
// of equals); nothing where none are, or where there are fewer than three.
std::optional<ensemble::Gaps> gaps_in(std::vector<std::int64_t> trajectories);

// Of numbers, by which of them: further from the median than six standard deviations, as the median of the distances
// tells these; of fewer than eight numbers none.
struct Spread {
  double median = 0;
  double deviation = 0;  // 1.4826 times the median of the distances from it
};
Spread spread_of(std::vector<double> numbers);
std::vector<std::size_t> outliers_of(const std::vector<double>& numbers);

ensemble::Assessment assess(const Database& database);

// A catalogue brought up to date with what is in folders.

// No folders: those that were indexed before. Without the assessment.
ensemble::IndexReport bring_up_to_date(Database& database, const std::vector<std::string>& folders,
                                       const ensemble::CatalogueOptions& options);

// Files of a catalogue verified again, and what has happened to them since.

// Seconds of "30d", "12h": a number and one of s, m, h, d, w. invalid_argument.
std::int64_t seconds_of(const std::string& since);

// A physical file of an entry and the CRC of its bytes.
struct SummedFile {
  std::string path;
  FileStatus status;
  std::uint32_t cksum = 0;
};

// How the files of an entry were when it passed last.
struct SeenSound {
  std::string at;
  std::vector<SummedFile> files;
};

struct Judged {
  std::string verdict;
  std::string sentence;
};

// Of an entry whose files could be read: what its verification says, and whether their bytes are others than before
// though nobody wrote to them.
Judged judge(const std::optional<SeenSound>& before, const std::vector<SummedFile>& now, Verdict verdict);

ensemble::ScrubReport scrub(Database& database, const ensemble::CatalogueOptions& options);

// The files of src/ensemble/page as texts in the library, so that no installed file has to be found.
extern const std::string_view page_frame;  // with {{title}}, {{subtitle}}, {{style}}, {{data}}, {{script}}
extern const std::string_view page_style;
extern const std::string_view page_script;

// A page of HTML about an ensemble: one file that asks no network for anything.

// JSON for an element <script>: nothing in it ends that.
std::string inside_script(std::string json);
std::string inside_html(std::string_view text);

// The page about the files of these folders; none: all. Without a title it has those of its ensembles. `earlier` is the
// text of the page before: what is different is shown.
std::string page_text(const Database& database, const std::vector<std::string>& folders, const std::string& title,
                      std::string_view earlier = {});

ensemble::PageReport write_page(const std::vector<std::string>& folders, const std::string& page,
                                const ensemble::CatalogueOptions& options);

// Expressions of `lq find`: "beta=6.0 trajectory>=1000 not damaged" as a condition of SQL with parameters. Nothing of
// what was typed becomes part of the statement.
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
  std::vector<std::string> properties;  // names that are those of no column
};

// invalid_argument says where, and what was expected.
Condition parse_expression(std::string_view text);

// invalid_argument: no file of the catalogue has a property of that name, and which may be meant.
void require_known_names(const Database& database, const Condition& condition);

// The SQL of a column as find() calls it; invalid_argument lists the names there are.
std::string_view column_named(std::string_view name);
std::vector<std::string> column_names();
// The same and all words that have a meaning by themselves.
std::vector<std::string> words_of_expressions();

}  // namespace lq::ensemble
