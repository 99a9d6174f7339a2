// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Findings as messages for people who know their field and not its file format.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diagnosis/pass.hpp"
#include "diagnosis/readings.hpp"
#include "diagnosis/record_marks.hpp"

namespace lq::diagnosis {

Finding finding(Severity severity, std::string rule, std::string message);

// How the numbers differ from the file's statements. `offset`: of the first number in the file; `marks`: of the records
// that contain them, or nullptr.
std::vector<Finding> differences(const Subject& subject, const Encoding& found, std::uint64_t offset,
                                 const RecordChain* marks);
std::vector<Finding> differences(const Ordering& declared, const Ordering& found);
// The axes of the numbers, slowest first, in the notation of raw descriptions (formats/raw.md 3).
std::string axes_text(const Encoding& encoding, const Ordering& ordering);
// "double precision, big-endian, ...": a reading of a file without description.
std::string description_of(const Encoding& encoding, const Ordering& ordering, std::uint64_t offset,
                           const RecordChain* marks);
// "(1) the lattice is 16 16 16 32, with ...; (2) ..."
std::string list_of(std::span<const Choice> readings);

std::vector<Finding> damage_in(const Walk& walked, const Pass& pass);
std::vector<Finding> damage_in(const Joints& joints, const Extents& extents);
// "x fastest, then y, z, t"
std::string order_text(const SiteOrder& order);

}  // namespace lq::diagnosis
