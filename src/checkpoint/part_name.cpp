// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// See part_name.hpp.
#include "checkpoint/part_name.hpp"

#include "io/new_file.hpp"

namespace lq::checkpoint {

std::string part_name(const std::string& path, const Generation& generation) {
  return io::temporary_name(path, base::load_be<std::uint32_t>(generation.bytes.data()));
}

std::optional<std::string> final_name(std::string_view path) {
  constexpr std::string_view ending = ".part";
  constexpr std::size_t digits = 8;
  if (path.size() <= digits + 1 + ending.size() || !path.ends_with(ending)) return std::nullopt;
  path.remove_suffix(ending.size());
  const std::string_view number = path.substr(path.size() - digits);
  path.remove_suffix(digits);
  if (!path.ends_with('.') || number.find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return std::nullopt;
  path.remove_suffix(1);
  return std::string(path);
}

}  // namespace lq::checkpoint
