// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Options as arguments on which all ranks must agree: "the option X differs between ranks".
#pragma once

#include <string_view>
#include <vector>

#include <limequat/options.hpp>

#include "comm/agree.hpp"
#include "options/option.hpp"

namespace lq::options {

// For require_same(): the rows of the table in which ranks must not differ; `within` selects the rows of one member.
std::vector<comm::StatedArgument> stated(const Table& table, const void* options, std::string_view within = "");

template <class Options>
std::vector<comm::StatedArgument> stated(std::string_view table, const Options& options) {
  return stated(table_named(table), &options);
}
inline std::vector<comm::StatedArgument> stated(const WriteOptions& options) { return stated("WriteOptions", options); }
inline std::vector<comm::StatedArgument> stated(const ReadOptions& options) { return stated("ReadOptions", options); }
inline std::vector<comm::StatedArgument> stated(const RouteOptions& route) {
  const WriteOptions with_route{.route = route};
  return stated(table_named("WriteOptions"), &with_route, "route.");
}

}  // namespace lq::options
