// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Paths as text, the names that new files have until they are complete, and what is in a folder.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/inner.hpp"

namespace lq::base {

// The folder that holds it: "." for a name alone.
std::string directory_of(const std::string& path);
// The same as the beginning of the names next to it: empty for a name alone, else with the last slash.
inline std::string folder_before(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
// One spelling of paths that name the same place but for links: whole, without "." and "..".
LQ_INNER std::string plain_path(const std::string& path);

// What a new file is called until it is complete: ".NAME.xxxxxxxx" next to NAME, with eight hexadecimal digits. File
// systems that place a file by its name (GlusterFS) leave dot and number out, so that it lies where NAME belongs.
// "NAME.xxxxxxxx.part", as earlier versions called it, is still known to whoever looks for what was left behind.

// ".NAME" with that ending, in the folder of `path`; a NAME that leaves no room for both is cut.
std::string hidden_name(const std::string& path, std::string_view ending);

// Of what `lq copy` and `lq repartition` have not finished, and of the record of what of it is there.
inline constexpr std::string_view unfinished_copy_ending = ".lq-copy", copied_ending = ".lq-copied";
// Of the record of files that are given their names together.
inline constexpr std::string_view replacement_ending = ".lq-replacement";

// In the folder of `path`, so that a rename is atomic; a NAME that leaves no room for dots and number is cut.
std::string temporary_name(const std::string& path, std::uint32_t number);
// The same, and the name that earlier versions gave.
std::array<std::string, 2> temporary_names(const std::string& path, std::uint32_t number);

// A temporary name of either form in its parts.
struct TemporaryName {
  std::string name;       // NAME with its folder
  std::string number;     // its eight digits
  bool is_hidden = true;  // the form with the dot before it

  // What another NAME is called with the same number, in the same form.
  std::string of(const std::string& other) const;
};
LQ_INNER std::optional<TemporaryName> parse_temporary_name(std::string_view path);

// What is in a folder. The standard library's iterator ends the program where there is no memory for it.

// The names of all that is in it, ascending. 0, or the errno that stopped it: some names may be there then.
LQ_INNER int names_in(const std::string& folder, std::vector<std::string>& names);

}  // namespace lq::base
