// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From what a file says about a data record to where its sites lie. Declarations are compared with each other
// and with the length of the record; the length wins (formats/scidac.md 4).
#pragma once

#include <optional>
#include <string>

#include <limequat/catalog.hpp>

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

}  // namespace lq::format::scidac
