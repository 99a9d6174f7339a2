// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Formats that are elsewhere: those of components, which are loaded when a file needs them, and well-known ones that
// are none of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"

// Of functions that are called when a library is loaded: beside what the linker collects of initialisation, so that a
// program which uses little touches few pages.
#if defined(__ELF__)
#define LQ_AT_LOAD [[gnu::section(".text.startup")]]
#else
#define LQ_AT_LOAD
#endif

// Registers the format that `function` returns, at the end of its source. Programs that are linked statically ask for
// the symbol, so that the linker takes the source (src/CMakeLists.txt).
#define LQ_REGISTER_FORMAT(name, function)                              \
  namespace {                                                           \
  const ::lq::format::Registration lq_registration_of_##name(function); \
  }                                                                     \
  extern "C" {                                                          \
  extern const char lq_format_##name;                                   \
  const char lq_format_##name = 0;                                      \
  }

namespace lq::format {

struct Format;

struct Component {
  std::string_view name;                       // "hdf5": the library is liblimequat_hdf5
  std::string_view format;                     // the name of its format
  std::string_view files;                      // "an HDF5 file"
  std::string_view needs;                      // the library without which it is built, but has no format
  std::string_view signature;                  // at the beginning of a file ...
  std::uint64_t first_offset = 0;              // ... or there, or at twice that, and so on; 0: at the beginning only
  std::span<const std::string_view> suffixes;  // of files that are written in it
};

// The component that claims it and has not registered its format; nullptr: there is none. Where the program has no
// loader, none claims a file or a suffix: then it is one of a foreign format (component.hpp).
const Component* component_with_format(std::string_view format);
const Component* component_with_suffix(std::string_view suffix);
const Component* component_of(base::ByteSource& file);

// Loads the library of a component. What it returns says why that failed; nothing: it is there. It is called by any
// thread, and again after a failure.
using Loader = std::optional<std::string> (*)(std::string_view component);
// Programs that are linked with what they need, such as static ones, have none.
void set_loader(Loader loader) noexcept;

// Why the component of that name cannot be used, with the remedy; it is loaded now. Nothing: it can, or no format says that
// there is such a component.
std::optional<std::string> absence_of(std::string_view component);
// The format of a component, which is loaded now. Throws with `code` if it cannot be: "`about`; install ...", where
// `about` says what of `path` needs it.
const Format& require_format(const Component& component, const std::string& about, const std::string& path, Code code);
// Loads all components that there are, for whoever asks which formats there are.
void load_components();

// Well-known files that are none of our formats: told by name from their first bytes, so that nobody has to guess
// why a file is refused. A format that we learn to read leaves this table.
struct ForeignFile {
  std::string_view name;    // "an HDF5 file"
  std::string_view remedy;  // an imperative sentence without its full stop
};

// What a file is that no format recognises; nothing where that is unknown.
std::optional<ForeignFile> identify_foreign(base::ByteSource& file);

// The same with its remedy, or how it begins: "an empty file", "a text that begins with \"...\"".
LQ_INNER std::string describe_foreign(base::ByteSource& file);

// Whether a file that no format recognises was one of ours by what is left in it: nothing at all, zeros at its
// beginning, or a header of ours behind a beginning that is lost.
LQ_INNER bool has_remains(base::ByteSource& file);

// What files with such a suffix (".h5") are; nothing for one that is not known.
std::optional<ForeignFile> foreign_suffix(std::string_view suffix) noexcept;

}  // namespace lq::format
