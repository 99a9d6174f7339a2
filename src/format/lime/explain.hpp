// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A LIME file byte by byte, and the rules of LIME that no reader depends on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <limequat/catalog.hpp>
#include <limequat/inspect.hpp>

#include "base/byte_source.hpp"
#include "format/findings.hpp"

namespace lq::format::lime {

// What a payload is: its name, and the section of the format page about it.
struct Meaning {
  std::string name;
  std::string section;
};
using MeaningOf = std::function<Meaning(const Record&)>;

// The annotations tile the file: they begin at 0, end at its last byte and leave no gap.
std::vector<Annotation> explain(base::ByteSource& file, const Catalog& catalog, const MeaningOf& meaning_of);

// Rules of LIME that no reader depends on, so that a scan does not look at them (formats/lime.md 6).

void check_headers(base::ByteSource& file, const Catalog& catalog, Findings& findings);

}  // namespace lq::format::lime
