// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Metadata of the International Lattice Data Grid: QCDml documents of configurations (schemas 1.3 and 2.0,
// docs/formats/qcdml.md), their sums, and logical file names. All functions are local.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq::ildg {

struct QcdmlOptions {
  std::string schema = {};  // "1.3" (also if empty) or "2.0"
  std::string crc = {};     // what crcCheckSum covers: "data", the record of the links (also if empty), or the "file"
  // Texts of the document by the path of their element below the root, "markovStep/series", or its end if that is
  // unique, "series"; "algorithm/parameters/NAME" is a parameter.
  Metadata metadata = {};
  Limits limits = {};
};

// The two possible meanings of crcCheckSum in catalogues: the CRC of POSIX `cksum`.
struct Cksums {
  std::uint32_t file = 0;  // of all bytes of the file
  // Of the links, if they are contiguous and can be found.
  std::optional<std::uint32_t> data;
};

struct Document {
  std::string text;  // XML
  std::string schema;
  Cksums sums;
  std::vector<std::string> missing;  // elements without a text, which hold a placeholder
  std::string path;                  // of the file that it describes
};

// Local. The document of a configuration: facts from the file and from `metadata`, and placeholders "unknown" for other
// elements that the schema requires. unsupported: not a gauge field; invalid_argument: no such schema or element.
LQ_API Document document(const std::string& path, const QcdmlOptions& options = {});

// Local. Writes the document to a new file, not readable by users who may not read the file that it describes. exists:
// a file of that name exists, and `overwrite` is off.
LQ_API void save(const Document& document, const std::string& path, bool overwrite = false);

struct LQ_API Check {
  std::string path, schema;
  Cksums sums;
  Verdict verdict = Verdict::sound;  // of the file alone, as lq::verify() gives it
  std::vector<Finding> findings;     // including those about the file

  bool ok() const noexcept;  // no finding of severity error
};

// Local. Compares a document (path of an XML file) with the rules of its schema and with the file: sum, plaquette,
// precision, logical file name. With an empty `document`, checks only the file against the requirements of ILDG.
LQ_API Check check(const std::string& path, const std::string& document = {}, const QcdmlOptions& options = {});

struct LogicalName {
  std::string lfn;                // as stored in the file; empty: it has none
  std::vector<Finding> findings;  // problems with it
};

// Local. The logical file name in a file.
LQ_API LogicalName lfn(const std::string& path, const QcdmlOptions& options = {});

LQ_API std::string to_json(const Document& document);
LQ_API std::string to_json(const Check& check);
LQ_API std::string to_json(const LogicalName& name);

}  // namespace lq::ildg
