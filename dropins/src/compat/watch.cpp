// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that is only relinked does not request a watch for a file system that does not respond.
#include <limequat/stall.hpp>

namespace {

[[maybe_unused]] const bool is_watched = (lq::watch_stalls_by_default(30, "limequat:"), true);

}  // namespace
