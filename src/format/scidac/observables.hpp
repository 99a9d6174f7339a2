// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plaquette and link trace as other programs note them in texts (formats/scidac.md 6.2).
#pragma once

#include <optional>

#include <limequat/metadata.hpp>

namespace lq::format::scidac {

struct Observables {
  std::optional<double> plaquette;   // average of Re Tr U_P / N
  std::optional<double> link_trace;  // average of Re Tr U / N
};
Observables find_observables(const Metadata& metadata);

}  // namespace lq::format::scidac
