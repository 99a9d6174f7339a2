// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Remarks on the files of a series: numbers, parameters and observables that do not fit the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <limequat/ensemble.hpp>

namespace lq::ensemble {

// One file of a series.
struct Member {
  std::string path, series;
  std::int64_t modified = 0;                     // nanoseconds since 1970
  std::optional<std::int64_t> in_text, in_name;  // trajectory number
  std::optional<double> plaquette, link_trace, charge;
  std::string format, kind, lattice, precision, group, checksum, fields;
  std::string logical_name;     // of the ILDG
  bool has_stated_sum = false;  // a checksum in the file itself
  bool is_whole = true;         // neither damaged nor incomplete nor unreadable
  std::int64_t device = 0, inode = 0;
  std::map<std::string, std::string> parameters;  // of the ensemble, by name in lower case
  std::map<std::string, std::string> warnings;    // of its headers and of its verification: messages by rule

  std::optional<std::int64_t> number() const { return in_text ? in_text : in_name; }
};

// True if all files of an ensemble should agree on the property: "beta", "kappa_l", "ensemble_id". Lower case.
bool is_parameter(const std::string& name);
// True if it is the topological charge.
bool is_charge(const std::string& name);

// On one series, sorted by number; `now` in nanoseconds since 1970. Files that differ in lattice, kind or parameters
// are removed from `alike`.
std::vector<Remark> remarks_on(const std::vector<Member>& series, std::int64_t now, std::vector<bool>& alike);
// Series whose names differ only in upper and lower case become one, if nearly all files agree on it; the others are
// named. `members`: sorted by series and number, before and after.
std::vector<Remark> join_series_by_case(std::vector<Member>& members);
// Numbers that occur in no text and no name.
std::vector<std::int64_t> numbers_of(const std::vector<Member>& series);
// Outliers of the plaquette, and remarks on the plaquette and the charge.
void add_outliers(const std::vector<Member>& series, const std::vector<bool>& alike, Assessment& assessment);
// The same configurations with other checksums: in another format or precision.
std::vector<Remark> same_in_other_formats(const std::vector<Member>& all);

}  // namespace lq::ensemble
