// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Observables by their names in catalogues.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <limequat/ensemble.hpp>

namespace lq::ensemble {

std::vector<std::pair<std::string, double>> observable_values(const Observables& measured) {
  std::vector<std::pair<std::string, double>> values;
  const auto put = [&](const char* name, const std::optional<double>& value) {
    if (value) values.emplace_back(name, *value);
  };
  for (const WilsonLoop& loop : measured.wilson_loops) {
    if (loop.r == 1 && loop.s == 1) put("wilson_1x1", loop.average);
    if (loop.r == 1 && loop.s == 2) put("wilson_1x2", loop.average);
    if (loop.r == 2 && loop.s == 2) put("wilson_2x2", loop.average);
  }
  if (measured.polyakov_loop) {
    put("polyakov_re", measured.polyakov_loop->real());
    put("polyakov_im", measured.polyakov_loop->imag());
  }
  put("charge", measured.charge());
  put("energy", measured.energy());
  if (measured.flow.size() > 1) {
    const FlowPoint& last = measured.flow.back();
    put("flow_time", last.time);
    put("flow_charge", last.charge);
    put("flow_energy", last.energy);
  }
  put("t0", measured.t0);
  put("w0", measured.w0);
  return values;
}

}  // namespace lq::ensemble
