// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/ildg/ildg_xml.hpp"

#include <fmt/format.h>

#include "format/xml_fields.hpp"

namespace lq::format::ildg {

std::string encode_format(const FieldSpec& spec, const Extents& extents) {
  constexpr const char* root =
      R"(<ildgFormat xmlns="http://www.lqcd.org/ildg" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd">)";
  return fmt::format(
             "{}{}<version>1.0</version><field>su{}gauge</field><precision>{}</precision>"
             "<lx>{}</lx><ly>{}</ly><lz>{}</lz><lt>{}</lt></ildgFormat>",
             xml_declaration, root, spec.colors, static_cast<int>(spec.precision), extents[0], extents[1], extents[2],
             extents[3]) +
         '\0';
}

}  // namespace lq::format::ildg
