// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/pace.hpp"

#include <algorithm>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/interruption.hpp"
#include "base/text.hpp"

namespace lq::ensemble {

double rate_of(const std::string& text) {
  std::string_view number = text;
  for (const std::string_view ending : {"/s", "B"}) {
    if (number.ends_with(ending)) number.remove_suffix(ending.size());
  }
  double unit = 1;
  constexpr std::string_view units = "KMGT";
  const std::size_t which =
      number.empty() ? std::string_view::npos : units.find(number.back() == 'k' ? 'K' : number.back());
  if (which != std::string_view::npos) {
    number.remove_suffix(1);
    for (std::size_t k = 0; k <= which; ++k) unit *= 1000;
  }
  const auto value = base::parse_double(number);
  constexpr double most = 1e18;
  if (value && *value > 0 && *value * unit >= 1 && *value * unit <= most) return *value * unit;
  throw Error(
      Code::invalid_argument,
      fmt::format("rate is \"{}\", expected bytes in a second such as 100M: a number above 0 and one of K, M, G, T",
                  base::printable(text)),
      {.expected = "100M", .found = text});
}

void Pace::wait_for(std::uint64_t bytes) {
  Clock::time_point due;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    due = std::max(next_, now);
    next_ = due + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(static_cast<double>(bytes) / rate_));
  }
  constexpr auto step = std::chrono::milliseconds(100);
  for (auto now = Clock::now(); now < due; now = Clock::now()) {
    std::this_thread::sleep_for(std::min<Clock::duration>(step, due - now));
    base::throw_if_interrupted();
  }
}

}  // namespace lq::ensemble
