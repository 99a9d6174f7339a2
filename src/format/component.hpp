// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Formats outside this module: those of components, which are loaded when a file needs them, and well-known ones that
// Limequat does not read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"

// For functions called when a library is loaded: separate from the linker's initialisation section, so that a
// program that uses few features touches few pages.
#if defined(__ELF__)
#define LQ_AT_LOAD [[gnu::section(".text.startup")]]
#else
#define LQ_AT_LOAD
#endif

// Registers the format that `function` returns, at the end of its source. Statically linked programs request
// the symbol, so that the linker includes the source (src/CMakeLists.txt).
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
  std::string_view needs;                      // the library it depends on; if built without that, it has no format
  std::string_view signature;                  // at the beginning of a file ...
  std::uint64_t first_offset = 0;              // ... or at this offset, twice that, and so on; 0: at the beginning only
  std::span<const std::string_view> suffixes;  // of files written in it
};

// The component that claims the format and has not registered it; nullptr: none. In programs without a loader, none
// claims a file or a suffix: then it belongs to a foreign format (component.hpp).
const Component* component_with_format(std::string_view format);
const Component* component_with_suffix(std::string_view suffix);
const Component* component_of(base::ByteSource& file);
// The same even if no component can be loaded, or its format is registered.
const Component* claimed_by(base::ByteSource& file);

// Loads the library of a component. Returns why that failed; empty: it is loaded. Called by any
// thread, and again after a failure.
using Loader = std::optional<std::string> (*)(std::string_view component);
// Programs linked with all they need, such as static ones, have none.
void set_loader(Loader loader) noexcept;

// Why the component of that name cannot be used, with the remedy; loads it. Empty: it is usable, or no format names
// such a component.
std::optional<std::string> absence_of(std::string_view component);
// What the library that a component needs says of itself when it is asked: "1.10.8, serial, thread-safe".
using LibraryFacts = std::string (*)();
// Called when the component is loaded.
LQ_INNER void set_library_facts(std::string_view component, LibraryFacts facts) noexcept;
// Empty: the component is not loaded, or has no such library.
std::string library_facts_of(std::string_view component);
// The format of a component, which is loaded. Throws with `code` if that fails: "`about`; install ...", where
// `about` states what in `path` needs it.
const Format& require_format(const Component& component, const std::string& about, const std::string& path, Code code);
// Loads all existing components, for callers that list the formats.
void load_components();

// Well-known files of formats that Limequat does not read: identified by their first bytes, to explain
// why a file is refused. A format that becomes supported leaves this table.
struct ForeignFile {
  std::string_view name;    // "an HDF5 file"
  std::string_view remedy;  // an imperative sentence without its full stop
};

// The kind of a file that no format recognises; empty if unknown.
std::optional<ForeignFile> identify_foreign(base::ByteSource& file);

// The same with its remedy, or with its beginning: "an empty file", "a text that begins with \"...\"".
LQ_INNER std::string describe_foreign(base::ByteSource& file);

// True if a file that no format recognises was once a lattice file, judged by what is left in it: nothing, zeros at its
// beginning, or a header after a lost beginning.
LQ_INNER bool has_remains(base::ByteSource& file);

// The kind of files with such a suffix (".h5"); empty if unknown.
std::optional<ForeignFile> foreign_suffix(std::string_view suffix) noexcept;

}  // namespace lq::format
