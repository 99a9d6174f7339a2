// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments out of the tables of options (options/option.hpp): a verb takes what its table says.
#pragma once

#include <memory>
#include <set>
#include <string_view>

#include "cli/arguments.hpp"
#include "options/option.hpp"

namespace lq::cli {

// The options that the command line gave, by name.
using GivenOptions = std::shared_ptr<std::set<std::string_view>>;

// `options` is the struct that the table describes and lives as long as the arguments. What it holds now is the
// default.
GivenOptions declare_options(Arguments& arguments, std::string_view verb, const options::Table& table, void* options);

template <class Options>
GivenOptions declare_options(Arguments& arguments, std::string_view verb, std::string_view name, Options& options) {
  return declare_options(arguments, verb, options::table_named(name), &options);
}

}  // namespace lq::cli
