// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data for copies over the callbacks of the generic interface.
#pragma once

#include <functional>
#include <memory>

#include "compat/sion/callback_comm.hpp"

namespace lq::compat::sion {

// Collective over all tasks of the API; `form` is, too, and makes a group of those with the same file.
std::unique_ptr<multifile::Relay> make_callback_relay(
    std::shared_ptr<const Api> api, const multifile::BuddyNeighbours& neighbours,
    const std::function<std::shared_ptr<void>(const multifile::TaskLocation&)>& form);

}  // namespace lq::compat::sion
