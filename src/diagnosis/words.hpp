// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What was found, in sentences for people who know their field and not its file format.
#pragma once

#include <string>
#include <vector>

#include "diagnosis/pass.hpp"
#include "diagnosis/slices.hpp"
#include "diagnosis/subject.hpp"

namespace lq::diagnosis {

Finding finding(Severity severity, std::string rule, std::string message);

// In what the numbers are other than the file says.
std::vector<Finding> differences(const Subject& subject, const Encoding& found);
std::vector<Finding> differences(const Ordering& declared, const Ranked& found);
// "double precision, big-endian, ...": a reading of a file that says nothing.
std::string description_of(const Encoding& encoding, const Ordering& ordering);

std::vector<Finding> damage_in(const Walk& walked, const Pass& pass);
std::vector<Finding> damage_in(const Joints& joints, const Extents& extents);
// "x fastest, then y, z, t"
std::string order_text(const SiteOrder& order);

}  // namespace lq::diagnosis
