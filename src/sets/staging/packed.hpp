// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of packed files, which a function of the program opens (ensemble::set_unpacking).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

#include "base/inner.hpp"

namespace lq::sets {

using Unpack = std::function<std::shared_ptr<const std::string>(const std::string& path)>;

LQ_INNER void set_unpacking(Unpack unpack);

// The path by which the contents of a file can be read as long as the result exists. nullptr: it is not packed, or the
// program opens no packed files. Throws the errors of decompression.
LQ_INNER std::shared_ptr<const std::string> unpacked(const std::string& path);

// Verifies the contents of a packed file and reports them under its name; nullopt: as unpacked().
LQ_INNER std::optional<Verification> verify_contents(const std::string& path, const VerifyOptions& options);

}  // namespace lq::sets
