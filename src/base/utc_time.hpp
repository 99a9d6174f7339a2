// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Times as texts that sort: "2026-11-25T20:00:00Z".
#pragma once

#include <cstdint>
#include <string>

#include "base/inner.hpp"

namespace lq::base {

LQ_INNER std::int64_t seconds_now() noexcept;         // since 1970, as time stamps of files count
LQ_INNER std::string utc_text(std::int64_t seconds);  // years 0 to 9999; others as the nearest of these

}  // namespace lq::base
