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
           .meaning = "schema of the document: 1.3 or 2.0 (default 1.3)",
           .advice = "Current catalogues accept 1.3; those of ILDG 2.0 require 2.0. A document that is checked states "
                     "its own schema."}),
      Row::row<&V::crc, &C::crc>(
          {.name = "crc",
           .meaning = "what crcCheckSum covers: data or file (default data)",
           .advice = "The schema 2.0 defines it as the CRC of `cksum` over the record with the links. No text defines "
                     "it for 1.3, and some archives use that of the whole file; both are reported."}),
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
