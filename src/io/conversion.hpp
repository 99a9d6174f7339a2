// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What conversions are made of: names and texts of the fields, and parts of the lattice.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/metadata.hpp>
#include <limequat/options.hpp>
#include <limequat/report.hpp>

#include "format/format.hpp"
#include "io/field_writer.hpp"
#include "io/scan.hpp"
#include "storage/transport.hpp"

namespace lq::io {

class UniqueNames {
 public:
  // `name`, or that with the first number that is free.
  std::string next(const std::string& name) {
    if (taken_.insert(name).second) return name;
    for (std::uint64_t& number = last_[name];;) {
      const std::string numbered = name + "." + std::to_string(++number);
      if (taken_.insert(numbered).second) return numbered;
    }
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::uint64_t> last_;  // numbers that were given
};

// Texts of a field that is converted: those of its file, and what the user gives beside or instead of them.

// The source's texts that the target can hold, with the user's: a text in the place of one of the same name, a value
// in the place of one that a text gives under that name ("beta = 6.0" in xlf-info), or else a text of its own.
// Of a part of the lattice those are left out that speak of all of it.
// unsupported: something would be lost that was not allowed to be.
Metadata merge_texts(const Catalog& catalog, const FieldEntry& entry, bool is_whole, const format::Format& target,
                     const ConvertOptions& options);

// Whether a text states what was measured of all sites, or names the whole file: of a part of it that is wrong.
bool speaks_of_all_sites(std::string_view name, std::string_view text);

// Conversion of a part of the lattice, which becomes the whole lattice of the new file. Each rank holds its sites.

// Collective. Sites `part` of a field of `source`, as field `name` into the file of `writer`, which is `to` of
// `transport`. What the sums of the source cover is compared; where none covers just these sites, the whole source is
// verified.
Report convert_part(FieldWriter& writer, storage::Transport& transport, const std::string& to, const std::string& name,
                    const Metadata& texts, ScannedFile& source, const FieldEntry& entry, const Box& part,
                    const Communicator& communicator, const ConvertOptions& options);
// Collective. Reads the part in bounded memory, and refuses what convert_part() and a whole conversion refuse.
void rehearse_part(ScannedFile& source, const FieldEntry& entry, const Box& part, const Communicator& communicator,
                   const ConvertOptions& options);

}  // namespace lq::io
