// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the JSON of a benchmark: results, which can be drawn in every way, or Error(malformed), nothing else.
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "plot/results.hpp"

namespace {

void draw(const std::vector<lq::plot::Result>& results, lq::plot::Kind kind) {
  try {
    const std::string svg = to_svg(draw_results(results, kind));
    if (svg.find("nan") != std::string::npos) throw std::logic_error("a place that is no number");
  } catch (const lq::Error& error) {
    if (error.code() != lq::Code::invalid_argument) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = lq::base::as_text({reinterpret_cast<const std::byte*>(data), size});
  try {
    const std::vector<lq::plot::Result> results = lq::plot::read_results(text, "results.json");
    for (const auto kind :
         {lq::plot::Kind::rate_by_ranks, lq::plot::Kind::rate_by_size, lq::plot::Kind::steps, lq::plot::Kind::ratio}) {
      draw(results, kind);
    }
  } catch (const lq::Error& error) {
    if (error.code() != lq::Code::malformed) throw;
  }
  return 0;
}
