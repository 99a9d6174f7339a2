// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a site profile: a machine or Error(malformed), nothing else.
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "storage/profile.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = lq::base::as_text({reinterpret_cast<const std::byte*>(data), size});
  try {
    const std::string written = lq::storage::profile_text(lq::storage::parse_profile(text, "profile"));
    // What is read can be written, and then reads back the same.
    if (lq::storage::profile_text(lq::storage::parse_profile(written, "profile")) != written) {
      throw std::logic_error("a profile reads back changed");
    }
  } catch (const lq::Error& error) {
    if (error.code() != lq::Code::malformed) throw;
  }
  return 0;
}
