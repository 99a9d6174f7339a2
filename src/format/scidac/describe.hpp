// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From the description of a data record to the positions of its sites, in one file or several.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"
#include "format/scidac/documents.hpp"
#include "format/scidac/program_texts.hpp"

namespace lq::format::scidac {

struct Description {
  std::optional<FileInfo> file;
  std::optional<RecordInfo> record;
  std::optional<LatticeXml> lattice;
};

// Empty, with a finding that explains it, if the record contains no readable field. A few numbers of `file`, which
// contains the data, are inspected if the length contradicts the description.
std::optional<Payload> describe(const Description& description, const Record& data, base::ByteSource& file,
                                Findings& findings);

// A site as described by RecordInfo; empty if its sizes contradict each other.
std::optional<FieldSpec> site_of(const RecordInfo& info, int dimensions);

// How its statements contradict each other, as a sentence; empty: they do not. `spec`: result of site_of() for
// them.
std::string contradiction_in(const RecordInfo& info, const FieldSpec& spec);

// Fields spread over several files (formats/scidac.md 4.6): NAME.vol0000 and others, each with a list of its sites.
// Supported are sites in blocks of the lattice, as in QIO's part files.

// The file with the descriptions, if `file` is one of the others.
struct Master {
  std::unique_ptr<base::ByteSource> file;  // nullptr: it is `file`, or `file` is not part of a set, or it is missing
  bool is_missing = false;
  std::string name = {};  // its expected name, if it can be derived
};
Master master_of(base::ByteSource& file);

class Volumes {
 public:
  // Reads the site lists of all files; `master` has these records. Empty, with a finding, if a file is missing or
  // damaged, or sites are not in blocks of the lattice.
  static std::optional<Volumes> open(base::ByteSource& master, const FileInfo& info,
                                     const std::vector<Record>& master_records, const Limits& limits,
                                     Findings& findings);

  // The file with the descriptions first.
  const std::vector<std::string>& files() const noexcept { return files_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  // Of the others, with the numbers of their files.
  const std::vector<Record>& other_records() const noexcept { return others_; }
  // The data of field number `number`; `data`: the piece in the file with the descriptions. As long as the
  // pieces of all files together.
  Record whole(const Record& data, std::size_t number, Findings& findings) const;
  // Assigns the sites of such a field to the files.
  void place(Payload& payload, const Record& data, std::size_t number) const;

 private:
  struct Part {
    std::uint64_t block = 0;  // number in the lattice, x fastest
    std::uint64_t sites = 0;
    std::vector<Record> data = {};  // its pieces of the fields; for the first file also others
  };

  // Determines which block of the lattice each file contains. False: extents differ, or one occurs twice.
  bool number_blocks(const Extents& extents, const std::vector<Box>& boxes);
  // nullptr: there is none.
  const Record* piece(std::size_t part, const Record& data, std::size_t number) const noexcept;

  std::vector<std::string> files_;
  std::vector<Part> parts_;
  std::vector<Record> others_;
  Extents block_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lq::format::scidac
