// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as an XML document: an element or Error(malformed), nothing else.
#include <cstdint>
#include <stdexcept>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/xml.hpp"

namespace {

std::size_t elements_of(const lq::base::xml::Element& element) {
  std::size_t count = 1;
  for (const lq::base::xml::Element& child : element.children) count += elements_of(child);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view document = lq::base::as_text({reinterpret_cast<const std::byte*>(data), size});
  try {
    const lq::base::xml::Element root = lq::base::xml::parse(document);
    if (elements_of(root) > lq::base::xml::Limits{}.elements) throw std::logic_error("more elements than the limit");
    // What is written reads back.
    const std::string written = lq::base::xml::element("text", root.text);
    if (lq::base::xml::parse(written).text != root.text) throw std::logic_error("escaped text reads back changed");
  } catch (const lq::Error& error) {
    if (error.code() != lq::Code::malformed) throw;
  }
  return 0;
}
