// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Remarks on the files of a series: numbers, parameters and observables that do not fit the others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/ensemble.hpp>

namespace lq::ensemble {

// Notes of verifications that are worth a remark if only some files of a series have them.
inline constexpr std::array<std::string_view, 3> notes_on_links = {"single-in-double", "open-boundary",
                                                                   "fixed-boundary"};

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
  std::map<std::string, std::string> warnings;    // of its headers and of its verification, and notes: messages by rule

  std::optional<std::int64_t> number() const { return in_text ? in_text : in_name; }
};

// True if all files of an ensemble should agree on the property: "beta", "kappa_l", "ensemble_id". Lower case.
bool is_parameter(const std::string& name);
// True if it is the topological charge.
bool is_charge(const std::string& name);

// On one series, sorted by number; `now` in nanoseconds since 1970. Files that differ in lattice, kind or parameters
// are removed from `alike`.
std::vector<Remark> remarks_on(const std::vector<Member>& series, std::int64_t now, std::vector<bool>& alike);
// Series whose names differ only in upper and lower case become one, if nearly all files agree on it, and so do one or
// two files whose name is nearly the one of many in the same folder; the others are named. `members`: sorted by series
// and number, before and after.
std::vector<Remark> join_similar_series(std::vector<Member>& members);
// Names files that are old versions of others by their names, such as "conf.0100.ildg.bak"; each becomes a series of
// its own. `members`: sorted by series and number, before and after.
std::vector<Remark> set_old_versions_apart(std::vector<Member>& members);
// Numbers that occur in no text and no name.
std::vector<std::int64_t> numbers_of(const std::vector<Member>& series);
// Outliers of the plaquette, and remarks on the plaquette and the charge.
void add_outliers(const std::vector<Member>& series, const std::vector<bool>& alike, Assessment& assessment);
// The same configurations with other checksums: in another format or precision, or gauge-transformed.
std::vector<Remark> same_configurations(const std::vector<Member>& all);

}  // namespace lq::ensemble
