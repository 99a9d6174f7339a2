// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data of a collector's group over the callbacks of the generic interface.
#pragma once

#include <memory>

#include "compat/sion/callback_comm.hpp"

namespace lq::compat::sion {

// nullptr where the API has no callbacks for data. `task`: the calling one.
std::shared_ptr<multifile::Courier> make_callback_courier(std::shared_ptr<const Api> api, std::shared_ptr<void> group,
                                                          int task);

}  // namespace lq::compat::sion
