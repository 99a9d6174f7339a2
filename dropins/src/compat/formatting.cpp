// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// fmt compiled from its headers, for the archives of the drop-ins if fmt is available as a shared library only: defines
// what its archive would, without inlining it away (dropins/cmake/Dropins.cmake).
#define FMT_HEADER_ONLY
#include <string>

#include <fmt/format.h>

namespace lq::compat {

using Formatter = std::string (*)(fmt::string_view, fmt::format_args);
extern const Formatter formatter;
const Formatter formatter = &fmt::vformat;

}  // namespace lq::compat
