// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of catalogues of ensembles.
#include <limequat/ensemble.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {

Table catalogue_table() {
  using V = ensemble::CatalogueOptions;
  using C = lq_catalogue_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("CatalogueOptions", "lq_catalogue_options", "Catalogues of ensembles");
  result.functions = {"index", "find", "scrub", "report_page"};
  result.verbs = {"index", "find", "scrub", "report"};
  result.rows = {
      Row::row<&V::db, &C::db>(
          {.name = "db",
           .meaning = "file of the catalogue (default: lq-catalogue.db of this folder or one above)",
           .advice = "One SQLite file, which any program that reads such files can look into. Where there is none in "
                     "this folder or one above, index makes it here."}),
      Row::row<&V::threads, &C::threads>(
          {.name = "threads",
           .meaning = "that read files (default: one for each core)",
           .advice = "More than there are cores pay on file systems that answer slowly, fewer leave the machine to "
                     "others.",
           .bounds = {.least = 0},
           .verbs = {"index", "scrub", "report"},
           .letter = 'j'}),
      Row::row<&V::forget, &C::forget>({.name = "forget",
                                        .meaning = "forget files that are no longer there",
                                        .advice = "They are kept otherwise, as missing, with what was known of them.",
                                        .verbs = {"index"}}),
      Row::row<&V::since, &C::since>(
          {.name = "since",
           .meaning = "files verified within it are not due: 30d, 12h (default: all are)",
           .advice = "A number and one of s, m, h, d, w. A nightly run with 30d reads each file once in a month.",
           .verbs = {"scrub"}}),
      Row::row<&V::physics, &C::physics>({.name = "physics",
                                          .meaning = "measure gauge fields (default when-it-fits)",
                                          .advice = "As in verifying; when-it-fits shares 4 GiB among the threads.",
                                          .verbs = {"scrub"}}),
      Row::row<&V::sort, &C::sort>(
          {.name = "sort",
           .meaning = "by a column; -NAME downwards (default: path)",
           .advice = "A column of the answer: path, size, trajectory, plaquette, modified, ...",
           .verbs = {"find"}}),
      Row::row<&V::most, &C::most>({.name = "most",
                                    .meaning = "files at most (default: all)",
                                    .advice = "Of those that fulfil the expression, the first in the order of sort.",
                                    .verbs = {"find"}}),
      Row::row<&V::title, &C::title>({.name = "title",
                                      .meaning = "of the page (default: the folder)",
                                      .advice = "Text; nothing of it is taken for markup.",
                                      .verbs = {"report"}}),
      Row::row<&V::overwrite, &C::overwrite>([] {
        Option row = overwrite_text();
        row.verbs = {"report"};
        return row;
      }()),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  for (Option& row : result.rows) {
    if (row.name.starts_with("limit")) row.verbs = {"index", "scrub", "report"};
  }
  result.rows.push_back(progress_row<V, C>());
  return result;
}

}  // namespace lq::options
