// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The strategies by name.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/options.hpp>

namespace lq {
namespace {

constexpr std::array<std::pair<Strategy, std::string_view>, 5> names{{{Strategy::automatic, "auto"},
                                                                      {Strategy::direct, "direct"},
                                                                      {Strategy::shared, "shared"},
                                                                      {Strategy::pull, "pull"},
                                                                      {Strategy::messages, "messages"}}};

}  // namespace

std::string_view name(Strategy strategy) noexcept {
  return std::ranges::find(names, strategy, &std::pair<Strategy, std::string_view>::first)->second;
}

Strategy parse_strategy(std::string_view text) {
  const auto* found = std::ranges::find(names, text, &std::pair<Strategy, std::string_view>::second);
  if (found != names.end()) return found->first;
  throw Error(Code::invalid_argument,
              fmt::format("strategy \"{}\": there are auto, direct, shared, pull and messages", text));
}

}  // namespace lq
