// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/clock.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace lq::base {

std::int64_t seconds_now() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string utc_text(std::int64_t seconds) {
  constexpr std::int64_t first = -62'167'219'200, last = 253'402'300'799;  // 0000-01-01, 9999-12-31
  const std::chrono::sys_seconds time{std::chrono::seconds(std::clamp(seconds, first, last))};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace lq::base
