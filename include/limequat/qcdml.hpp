// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Housekeeping of the International Lattice Data Grid: QCDml documents of configurations (schemas 1.3 and 2.0,
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
  std::string schema = {};  // "1.3", which an empty text means, or "2.0"
  std::string crc = {};     // what crcCheckSum is of: "data", the record of the links (also empty), or the whole "file"
  // Texts of the document by the path of their element below the root, "markovStep/series", or the end of it where that
  // is unique, "series"; "algorithm/parameters/NAME" is a parameter.
  Metadata metadata = {};
  Limits limits = {};
};

// The two sums that catalogues may mean by crcCheckSum: the CRC of POSIX `cksum`.
struct Cksums {
  std::uint32_t file = 0;             // of all bytes of the file
  // Of the record or piece with the links, where they lie in one and can be found.
  std::optional<std::uint32_t> data;
};

struct Document {
  std::string text;  // XML
  std::string schema;
  Cksums sums;
  std::vector<std::string> missing;  // elements that nobody gave a text for, and that hold a placeholder
};

// Local. The document of a configuration: what the file says of itself, what `metadata` says, and placeholders
// "unknown" for what the schema demands and nobody said. unsupported: no gauge field; invalid_argument: no such schema
// or element.
LQ_API Document document(const std::string& path, const QcdmlOptions& options = {});

// Local. The document as a new file. exists: there is one of that name, and `overwrite` is off.
LQ_API void save(const Document& document, const std::string& path, bool overwrite = false);

struct LQ_API Check {
  std::string path, schema;
  Cksums sums;
  Verdict verdict = Verdict::sound;  // of the file by itself, as lq::verify() gives it
  std::vector<Finding> findings;     // what is wrong with the file is among them

  bool ok() const noexcept;  // no finding of severity error
};

// Local. A document (path of an XML file) against the rules of its schema and against the file: sum, plaquette,
// precision, logical file name. An empty `document`: what ILDG asks of the file alone.
LQ_API Check check(const std::string& path, const std::string& document = {}, const QcdmlOptions& options = {});

struct LogicalName {
  std::string lfn;                // as the file has it; empty: it has none
  std::vector<Finding> findings;  // what is wrong with it
};

// Local. The logical file name in a file.
LQ_API LogicalName lfn(const std::string& path, const QcdmlOptions& options = {});

LQ_API std::string to_json(const Document& document);
LQ_API std::string to_json(const Check& check);
LQ_API std::string to_json(const LogicalName& name);

}  // namespace lq::ildg
