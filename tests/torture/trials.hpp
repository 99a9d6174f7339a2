// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is tortured. Each draws a case, tells it, tries it in an empty directory, and throws Failure when something is
// lost, wrong, or different between ranks.
#pragma once

#include <functional>
#include <string>

#include "torture/draw.hpp"

namespace lq::torture {

using Tell = std::function<void(const std::string& words)>;

void torture_fields(Draw& draw, const std::string& directory, const Tell& tell);
void torture_sets(Draw& draw, const std::string& directory, const Tell& tell);

}  // namespace lq::torture
