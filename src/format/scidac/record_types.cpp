// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/scidac/record_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lq::format::scidac {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 12> roles{{
    {type::private_file_xml, Role::file_info},
    {type::file_xml, Role::file_text},
    {type::private_record_xml, Role::record_info},
    {type::ildg_format, Role::lattice},
    {type::etmc_propagator_format, Role::lattice},
    {type::etmc_source_format, Role::lattice},
    {type::binary_data, Role::data},
    {type::ildg_binary_data, Role::data},
    {type::checksum, Role::checksum},
    {type::limequat_slices, Role::slices},
    {type::limequat_name, Role::name},
    {type::sitelist, Role::binary},
}};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

Role role_of(std::string_view name) noexcept {
  const auto row = std::ranges::find(roles, name, &std::pair<std::string_view, Role>::first);
  if (row != roles.end()) return row->second;
  return name.ends_with("binary-data") ? Role::binary : Role::text;
}

bool is_structural(std::string_view name) noexcept {
  const Role role = role_of(name);
  return role != Role::text && role != Role::file_text;
}

std::string_view metadata_key(std::string_view name) noexcept {
  return std::ranges::equal(name, type::ildg_data_lfn, {}, lower) ? type::ildg_data_lfn : name;
}

}  // namespace lq::format::scidac
