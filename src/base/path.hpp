// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Paths as text, temporary names of new files, and the contents of folders.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/inner.hpp"

namespace lq::base {

// The folder that contains `path`: "." for a name alone.
std::string directory_of(const std::string& path);
// The folder as a prefix of names next to it: empty for a name alone, else with the last slash.
inline std::string folder_before(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
// One spelling for paths that name the same place (links excepted): absolute, without "." and "..".
LQ_INNER std::string plain_path(const std::string& path);

// The name of a new file until it is complete: ".NAME.xxxxxxxx" next to NAME, with eight hexadecimal digits. File
// systems that place a file by its name (GlusterFS) ignore the dot and the number, so the file is stored where NAME
// belongs. "NAME.xxxxxxxx.part", the form of earlier versions, is still recognised when leftovers are searched for.

// ".NAME" with that ending, in the folder of `path`; a NAME that is too long for both is cut.
std::string hidden_name(const std::string& path, std::string_view ending);

// Endings of unfinished files of `lq copy` and `lq repartition`, and of the record of the parts that have arrived.
inline constexpr std::string_view unfinished_copy_ending = ".lq-copy", copied_ending = ".lq-copied";
// Ending of the record of files that get their names together.
inline constexpr std::string_view replacement_ending = ".lq-replacement";

// In the folder of `path`, so that a rename is atomic; a NAME that is too long for dots and number is cut.
std::string temporary_name(const std::string& path, std::uint32_t number);
// The same, and the form of earlier versions.
std::array<std::string, 2> temporary_names(const std::string& path, std::uint32_t number);

// The parts of a temporary name of either form.
struct TemporaryName {
  std::string name;       // NAME with its folder
  std::string number;     // its eight digits
  bool is_hidden = true;  // the form with the dot before it

  // The temporary name of another NAME with the same number, in the same form.
  std::string of(const std::string& other) const;
};
LQ_INNER std::optional<TemporaryName> parse_temporary_name(std::string_view path);

// Contents of a folder. The standard library's iterator ends the program if it cannot allocate memory.

// All names in it, ascending. Returns 0, or the errno that stopped it; `names` may then hold some names.
LQ_INNER int names_in(const std::string& folder, std::vector<std::string>& names);

}  // namespace lq::base
