// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names that the files of a set have until it is published: NAME.xxxxxxxx.part, with the first digits of the set's
// generation, so that who knows the generation knows the name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/record.hpp"

namespace lq::checkpoint {

std::string part_name(const std::string& path, const Generation& generation);
// The NAME of NAME.xxxxxxxx.part; nothing for other names.
std::optional<std::string> final_name(std::string_view path);

}  // namespace lq::checkpoint
