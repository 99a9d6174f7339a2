// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of catalogues of ensembles, and of QCDml documents.
#include "options/shared_rows.hpp"

namespace lq::options {

Table catalogue_table() {
  using V = ensemble::CatalogueOptions;
  using C = lq_catalogue_options;
  using Row = Rows<V, C>;
  auto result = table<C>("Catalogues of ensembles", {"index", "find", "scrub", "report_page"},
                         {"index", "find", "scrub", "report"});
  result.rows = {
      Row::row<&V::db, &C::db>(
          {.name = "db",
           .meaning = "file of the catalogue (default: lq-catalogue.db of this folder or one above)",
           .advice = "One SQLite file, which any program that reads SQLite can open. If there is none in this folder "
                     "or one above, index creates it here."}),
      Row::row<&V::threads, &C::threads>(
          {.name = "threads",
           .meaning = "threads that read files (default: one for each core)",
           .advice = "On file systems that respond slowly, more threads than cores pay off; fewer leave cores to "
                     "other programs.",
           .bounds = {.least = 0},
           .verbs = {"index", "scrub", "report"},
           .letter = 'j'}),
      Row::row<&V::forget, &C::forget>(
          {.name = "forget",
           .meaning = "forget files that no longer exist",
           .advice = "Without it they are kept as missing, with the facts that were recorded.",
           .verbs = {"index"}}),
      Row::row<&V::since, &C::since>(
          {.name = "since",
           .meaning = "files verified within this time are not due: 30d, 12h (default: all are due)",
           .advice = "A number and one of s, m, h, d, w. A nightly run with 30d reads each file about once a month.",
           .verbs = {"scrub"}}),
      Row::row<&V::physics, &C::physics>({.name = "physics",
                                          .meaning = "measure gauge fields (default when-it-fits)",
                                          .advice = "As in verifying; the threads share the 4 GiB of when-it-fits.",
                                          .verbs = {"scrub"}}),
      Row::row<&V::sort, &C::sort>(
          {.name = "sort",
           .meaning = "sort by this column; -NAME for descending order (default: path)",
           .advice = "A column of the answer: path, size, trajectory, plaquette, modified, ...",
           .verbs = {"find"}}),
      Row::row<&V::most, &C::most>({.name = "most",
                                    .meaning = "maximum number of files (default: all)",
                                    .advice = "The first files that match the expression, in the order of sort.",
                                    .verbs = {"find"}}),
      Row::row<&V::title, &C::title>({.name = "title",
                                      .meaning = "title of the page (default: the folder)",
                                      .advice = "Plain text; markup in it is not interpreted.",
                                      .verbs = {"report"}}),
      Row::row<&V::overwrite, &C::overwrite>([] {
        Option row = overwrite_text();
        row.verbs = {"report"};
        return row;
      }()),
      Row::row<&V::observables, &C::observables>(observables_text()),
  };
  append(result.rows, flow_rows<V, C>());
  for (Option& row : std::span(result.rows).last(3)) row.verbs = {"index"};
  append(result.rows, limit_rows<V, C, &V::limits>());
  for (Option& row : result.rows) {
    if (row.name.starts_with("limit")) row.verbs = {"index", "scrub", "report"};
  }
  result.rows.push_back(progress_row<V, C>());
  result.rows.push_back(Row::row<&V::exclude, &C::exclude>(
      {.name = "exclude",
       .meaning = "leave out files and folders that match one of these patterns, between commas: *.tmp,old,scratch/*",
       .advice = "* and ? stand for any characters. A pattern without a slash is compared with names, one with a slash "
                 "with the path below the folder. What is in the catalogue already is kept as missing.",
       .verbs = {"index", "report"}}));
  result.rows.push_back(Row::row<&V::which, &C::which>(
      {.name = "which",
       .meaning = "what is verified: a folder, a file, or an expression as find takes them (default: all)",
       .advice =
           "\"trajectory>=1000 not sound\". A text that is the name of a file or folder means that file or folder.",
       .verbs = {"scrub"},
       .not_in_lq = "the words of the verb"}));
  result.rows.push_back(Row::row<&V::rate, &C::rate>(
      {.name = "rate",
       .meaning = "limit the reading to this number of bytes per second: 100M (default: no limit)",
       .advice =
           "K, M, G and T are powers of a thousand. All threads share it. Leaves bandwidth of a shared file system "
           "to its other users.",
       .verbs = {"scrub"}}));
  return result;
}

// Rows of QCDml documents.

Table qcdml_table() {
  using V = ildg::QcdmlOptions;
  using C = lq_qcdml_options;
  using Row = Rows<V, C>;
  auto result = table<C>("QCDml documents", {"ildg.document", "ildg.check", "ildg.lfn"}, {"ildg"});
  result.rows = {
      Row::row<&V::schema, &C::schema>(
          {.name = "schema",
           .meaning = "schema of the document: 1.3 or 2.0 (default 1.3)",
           .advice = "Current catalogues accept 1.3; those of ILDG 2.0 require 2.0. A document that is checked states "
                     "its own schema."}),
      Row::row<&V::crc, &C::crc>(
          {.name = "crc",
           .meaning = "what crcCheckSum covers: data or file (default data)",
           .advice = "The schema 2.0 defines it as the CRC of `cksum` over the record with the links. No text defines "
                     "it for 1.3, and some archives use the CRC of the whole file; both are reported."}),
      Row::with<Path<&V::metadata>, &C::metadata, &C::metadata_count>(
          {.name = "metadata",
           .meaning = "text of an element of the document (may be repeated)",
           .advice = "Give its path below the root, markovStep/series, or the last part of it if that is unique. It "
                     "replaces what the file states."},
          {"metadata", "metadata_count"}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  return result;
}

}  // namespace lq::options
