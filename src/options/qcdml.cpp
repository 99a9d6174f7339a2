// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of QCDml documents.
#include <limequat/qcdml.hpp>

#include "options/shared_rows.hpp"

namespace lq::options {

Table qcdml_table() {
  using V = ildg::QcdmlOptions;
  using C = lq_qcdml_options;
  using Row = Rows<V, C>;
  auto result = table<V, C>("QcdmlOptions", "lq_qcdml_options", "QCDml documents");
  result.functions = {"ildg.document", "ildg.check", "ildg.lfn"};
  result.verbs = {"ildg"};
  result.rows = {
      Row::row<&V::schema, &C::schema>(
          {.name = "schema",
           .meaning = "of the document: 1.3 or 2.0 (default 1.3)",
           .advice =
               "Catalogues of today take 1.3; those of ILDG 2.0 want 2.0. A document that is checked says its own."}),
      Row::row<&V::crc, &C::crc>(
          {.name = "crc",
           .meaning = "what crcCheckSum is of: data or file (default data)",
           .advice = "The schema 2.0 says that it is the CRC of `cksum` over the record with the links. Of 1.3 no text "
                     "says so, and some archives have that of the whole file; both are reported."}),
      Row::with<Path<&V::metadata>, &C::metadata, &C::metadata_count>(
          {.name = "metadata",
           .meaning = "text of an element of the document (may be repeated)",
           .advice =
               "By its path below the root, markovStep/series, or by its last part where that is unique. It takes "
               "the place of what the file says."},
          {"metadata", "metadata_count"}),
  };
  append(result.rows, limit_rows<V, C, &V::limits>());
  return result;
}

}  // namespace lq::options
