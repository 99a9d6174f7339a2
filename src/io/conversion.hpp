// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of conversions: names and texts of the fields, and parts of the lattice.
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
  // `name`, or `name` with the first free number.
  std::string next(const std::string& name) {
    if (taken_.insert(name).second) return name;
    for (std::uint64_t& number = last_[name];;) {
      const std::string numbered = name + "." + std::to_string(++number);
      if (taken_.insert(numbered).second) return numbered;
    }
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::uint64_t> last_;  // numbers assigned so far
};

// Texts of a converted field: those of its file, and the user's, which add to or replace them.

// The source's texts that the target can hold, with the user's: a text replaces one of the same name, a value
// replaces one that a text gives under that name ("beta = 6.0" in xlf-info), or else becomes a separate text.
// For a part of the lattice, texts about the whole lattice are omitted.
// unsupported: something would be lost without permission.
Metadata merge_texts(const Catalog& catalog, const FieldEntry& entry, bool is_whole, const format::Format& target,
                     const ConvertOptions& options);

// True if a text states values measured on all sites, or names the whole file: for a part of it these are wrong.
bool describes_all_sites(std::string_view name, std::string_view text);

// Converts a part of the lattice, which becomes the whole lattice of the new file. Each rank holds its sites.

// Collective. Writes sites `part` of a field of `source` as field `name` into the file of `writer`, which is `to` of
// `transport`. The sums of the source that cover the part are compared; if none covers just these sites, the whole
// source is verified.
Report convert_part(FieldWriter& writer, storage::Transport& transport, const std::string& to, const std::string& name,
                    const Metadata& texts, ScannedFile& source, const FieldEntry& entry, const Box& part,
                    const Communicator& communicator, const ConvertOptions& options);
// Collective. Reads the part in bounded memory, and throws the errors of convert_part() and of a whole conversion.
void rehearse_part(ScannedFile& source, const FieldEntry& entry, const Box& part, const Communicator& communicator,
                   const ConvertOptions& options);

}  // namespace lq::io
