// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a series says about its files: numbers, parameters, observables that do not go with the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <limequat/ensemble.hpp>

namespace lq::ensemble {

// A file as its series sees it.
struct Member {
  std::string path, series;
  std::optional<std::int64_t> in_text, in_name;  // its number
  std::optional<double> plaquette, link_trace, charge;
  std::string format, kind, lattice, precision, group, checksum, fields;
  bool is_whole = true;  // neither damaged nor incomplete nor unreadable
  std::int64_t device = 0, inode = 0;
  std::map<std::string, std::string> parameters;  // of the ensemble, by name in small letters
  std::map<std::string, std::string> warnings;    // of its headers and of its verification: sentences by rule

  std::optional<std::int64_t> number() const { return in_text ? in_text : in_name; }
};

// Whether all files of an ensemble should agree about the property: "beta", "kappa_l", "ensemble_id". Small letters.
bool is_parameter(const std::string& name);
// Whether it is the topological charge.
bool is_charge(const std::string& name);

// Of one series, sorted by number. Those that differ in lattice, kind or parameters are left out of `alike`.
std::vector<Remark> remarks_on(const std::vector<Member>& series, std::vector<bool>& alike);
// Numbers that are in no text and no name.
std::vector<std::int64_t> numbers_of(const std::vector<Member>& series);
// Outliers of the plaquette, and what is to be said of those and of the charge.
void add_outliers(const std::vector<Member>& series, const std::vector<bool>& alike, Assessment& assessment);
// The same configurations under other sums: in another format or precision.
std::vector<Remark> same_in_other_formats(const std::vector<Member>& all);

}  // namespace lq::ensemble
