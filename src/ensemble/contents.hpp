// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of packed files, which a function of the program opens (set_unpacking).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <limequat/inspect.hpp>
#include <limequat/options.hpp>

namespace lq::ensemble {

// The path by which the contents of a file can be read as long as the result exists. nullptr: it is not packed, or the
// program opens no packed files. Throws the errors of decompression.
std::shared_ptr<const std::string> unpacked(const std::string& path);

// Verifies the contents of a packed file and reports them under its name; nullopt: as unpacked().
std::optional<Verification> verify_contents(const std::string& path, const VerifyOptions& options);

}  // namespace lq::ensemble
