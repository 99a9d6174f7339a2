// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// fmt out of its headers, for the archives of the drop-ins where fmt is there as a shared library only: what its
// archive would have defined, compiled so that nothing of it is inlined away (dropins/cmake/Dropins.cmake).
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace lq::compat {

using Formatter = std::string (*)(fmt::string_view, fmt::format_args);
extern const Formatter formatter;
const Formatter formatter = &fmt::vformat;

}  // namespace lq::compat
