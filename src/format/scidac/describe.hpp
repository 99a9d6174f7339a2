// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From what a file says of a data record to where its sites lie, in one file or in several.
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

// Nothing, and a finding that says why, when the record holds no field that can be read. Of `file`, which holds the
// data, a few numbers are looked at where the length contradicts what is described.
std::optional<Payload> describe(const Description& description, const Record& data, base::ByteSource& file,
                                Findings& findings);

// What RecordInfo says of a site; nothing when its sizes contradict each other.
std::optional<FieldSpec> site_of(const RecordInfo& info, int dimensions);

// In which way its statements contradict each other, a sentence; empty: they do not. `spec` is what site_of() makes of
// them.
std::string contradiction_in(const RecordInfo& info, const FieldSpec& spec);

// Fields spread over several files (formats/scidac.md 4.6): NAME.vol0000 and others, each with a list of its sites.
// What is read are those whose sites are blocks of the lattice, which QIO's part files are.

// The file with the descriptions, where `file` is one of the others.
struct Master {
  std::unique_ptr<base::ByteSource> file;  // nullptr: `file` is it, or stands alone, or there is none
  bool is_missing = false;
  std::string name = {};  // what it would be called, if that can be told
};
Master master_of(base::ByteSource& file);

class Volumes {
 public:
  // Reads the site lists of all files; `master` has these records. Nothing, and a finding, where a file is missing or
  // damaged, or sites do not lie in blocks of the lattice.
  static std::optional<Volumes> open(base::ByteSource& master, const FileInfo& info,
                                     const std::vector<Record>& master_records, const Limits& limits,
                                     Findings& findings);

  // That of the file with the descriptions first.
  const std::vector<std::string>& files() const noexcept { return files_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  // Of the others, with the numbers of their files.
  const std::vector<Record>& other_records() const noexcept { return others_; }
  // The data of field number `number`, of which `data` is the piece in the file with the descriptions, as long as the
  // pieces of all files together.
  Record whole(const Record& data, std::size_t number, Findings& findings) const;
  // Lays the sites of such a field into the files.
  void place(Payload& payload, const Record& data, std::size_t number) const;

 private:
  struct Part {
    std::uint64_t block = 0;  // which of the lattice, x fastest
    std::uint64_t sites = 0;
    std::vector<Record> data = {};  // its pieces of the fields; of the first file others, too
  };

  // Which block of the lattice each file holds. False: they differ in extents, or one is there twice.
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
