// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of the physical files of a set (formats/sion.md 1).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lq::format::sion {

// Local. How physical file `number` of a set is called; programs may have a rule of their own.
using NameRule = std::function<std::string(std::int32_t number)>;
// The same for sets of any name, as copies have.
using SetRule = std::function<std::string(const std::string& name, std::int32_t number)>;

// NAME, NAME.000001, NAME.000002, ...
std::string file_name(const std::string& name, std::int32_t number);
// NAME_BUDDY_00, ...: the first file of a copy.
std::string buddy_name(const std::string& name, std::int32_t level);
// Of a copy of set `name`, physical file `number`; rule empty: as usual.
std::string copy_name(const std::string& name, std::int32_t level, std::int32_t number, const SetRule& rule);

// What a name says of itself: "x.sion.000012" is number 12 of "x.sion"; any other name is number 0 of itself.
struct SetName {
  std::string name;
  std::int32_t number = 0;
};
SetName split_name(std::string_view path);

}  // namespace lq::format::sion
