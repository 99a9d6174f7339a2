// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Items at the cursor of an open multifile, with the messages and return codes of SIONlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "compat/sion/handles.hpp"

namespace lq::compat::sion {

// Nothing, after a message: too many for memory, or no memory named.
std::optional<std::size_t> bytes_of(const char* function, const OpenFile& open, const void* data, std::size_t size,
                                    std::size_t items);
bool ensure_space(OpenFile& open, std::uint64_t bytes);
// Numbers of items; 0, after a message, where they do not fit.
std::size_t write_items(OpenFile& open, const void* data, std::size_t size, std::size_t items);
std::size_t read_items(OpenFile& open, void* data, std::size_t size, std::size_t items);

}  // namespace lq::compat::sion
