// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a file that something is wrong with: as its header says, and as the numbers of a small lattice.
#include <cstdint>

#include <limequat/error.hpp>
#include <limequat/json.hpp>

#include "diagnosis/diagnose.hpp"

namespace {

void ask(lq::base::ByteSource& file, const lq::DiagnoseOptions& options) {
  try {
    const lq::Diagnosis diagnosis = lq::diagnosis::diagnose(file, options);
    lq::to_json(diagnosis);
  } catch (const lq::Error& error) {
    if (error.code() == lq::Code::internal) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lq::base::MemorySource file({reinterpret_cast<const std::byte*>(data), size}, "fuzzed");
  lq::DiagnoseOptions options;
  options.seconds = 0.01;
  ask(file, options);
  options.lattice = "2x2x2x4";
  options.sums = "1/2";
  ask(file, options);
  return 0;
}
