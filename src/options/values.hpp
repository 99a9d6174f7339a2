// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The types of options: as text, and as members of C structs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <limequat.h>
#include <limequat/error.hpp>
#include <limequat/hdf5.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>
#include <limequat/options.hpp>

#include "options/option.hpp"

namespace lq::options {

// A C callback cannot throw. To stop the operation that called it, it makes a request instead.

// Local. Requests a stop, from within a callback on this thread.
void ask_to_stop() noexcept;
void forget_stop() noexcept;
// Local. Throws io with ECANCELED if a stop was requested since the last request was cleared.
void throw_if_stopped();

// Local. Runs call(arguments...), then throws if it requested a stop.
template <class Call, class... Arguments>
void call_or_stop(Call* call, Arguments... arguments) {
  forget_stop();
  call(arguments...);
  throw_if_stopped();
}

// The names of the values of an enumeration; the numbers are those of the C API.
template <class Enum>
inline constexpr std::array<Choice, 0> choices = {};
template <>
inline constexpr std::array choices<Precision> = {Choice{"single", LQ_SINGLE}, Choice{"double", LQ_DOUBLE}};
template <>
inline constexpr std::array choices<Verify> = {
    Choice{"none", LQ_VERIFY_NONE},           Choice{"checksum", LQ_VERIFY_CHECKSUM},
    Choice{"read-back", LQ_VERIFY_READ_BACK}, Choice{"read_back", LQ_VERIFY_READ_BACK, true},
    Choice{"no", LQ_VERIFY_NONE, true},       Choice{"yes", LQ_VERIFY_CHECKSUM, true}};
template <>
inline constexpr std::array choices<Sync> = {Choice{"none", LQ_SYNC_NONE}, Choice{"data", LQ_SYNC_DATA},
                                             Choice{"full", LQ_SYNC_FULL}, Choice{"no", LQ_SYNC_NONE, true},
                                             Choice{"yes", LQ_SYNC_FULL, true}};
template <>
inline constexpr std::array choices<Strategy> = {Choice{"auto", LQ_AUTO}, Choice{"direct", LQ_DIRECT},
                                                 Choice{"shared", LQ_SHARED}, Choice{"pull", LQ_PULL},
                                                 Choice{"messages", LQ_MESSAGES}};
template <>
inline constexpr std::array choices<Compression> = {
    Choice{"none", LQ_COMPRESSION_NONE}, Choice{"lz4", LQ_COMPRESSION_LZ4}, Choice{"zstd", LQ_COMPRESSION_ZSTD}};
template <>
inline constexpr std::array choices<hdf5::Digests> = {Choice{"check", LQ_DIGESTS_CHECK},
                                                      Choice{"ignore", LQ_DIGESTS_IGNORE}};
template <>
inline constexpr std::array choices<Measure> = {
    Choice{"when-it-fits", LQ_MEASURE_WHEN_IT_FITS}, Choice{"always", LQ_MEASURE_ALWAYS},
    Choice{"never", LQ_MEASURE_NEVER}, Choice{"yes", LQ_MEASURE_ALWAYS, true}, Choice{"no", LQ_MEASURE_NEVER, true}};
template <>
inline constexpr std::array choices<Require> = {Choice{"consistent", LQ_REQUIRE_CONSISTENT},
                                                Choice{"sound", LQ_REQUIRE_SOUND}};

static_assert(static_cast<int>(Verify::read_back) == LQ_VERIFY_READ_BACK &&
              static_cast<int>(Sync::full) == LQ_SYNC_FULL && static_cast<int>(Strategy::messages) == LQ_MESSAGES &&
              static_cast<int>(Compression::zstd) == LQ_COMPRESSION_ZSTD &&
              static_cast<int>(hdf5::Digests::ignore) == LQ_DIGESTS_IGNORE &&
              static_cast<int>(Measure::never) == LQ_MEASURE_NEVER &&
              static_cast<int>(Require::sound) == LQ_REQUIRE_SOUND && static_cast<int>(Precision::single) == LQ_SINGLE);

// Parse a text; `row` has the bounds, and the choices of an enumeration.
bool flag_in(std::string_view text, const Option& row, std::string_view shown);
std::int64_t whole_in(std::string_view text, const Option& row, std::string_view shown);
std::uint64_t count_in(std::string_view text, const Option& row, std::string_view shown);
double real_in(std::string_view text, const Option& row, std::string_view shown);
int choice_in(std::string_view text, const Option& row, std::string_view shown);
std::pair<std::string, std::string> metadata_in(std::string_view text, std::string_view shown);

std::string real_text(double value);
std::string choice_text(std::span<const Choice> all, int number);
std::string metadata_text(const Metadata& metadata);
std::string box_text(const Box& box);

// Convert members of C structs.
int choice_of_c(int number, const Option& row);
// Defined here because limequat_mpi also uses it and cannot see hidden symbols of liblimequat.
inline Coord coord_of(const std::int64_t* values, int dimensions, std::string_view name) {
  const auto reject_member = [](const std::string& sentence) { throw Error(Code::invalid_argument, sentence); };
  if (dimensions < 1 || dimensions > max_dimensions) {
    reject_member("dimensions of " + std::string(name) + " is " + std::to_string(dimensions) + ", expected 1 to " +
                  std::to_string(max_dimensions));
  }
  if (values == nullptr) reject_member(std::string(name) + " is NULL");
  return Coord(std::span(values, static_cast<std::size_t>(dimensions)));
}
Metadata metadata_of(const lq_metadata* metadata, std::size_t count);

// A type of option: its kind, its text, and its form in C. Types that C lacks have no `c` functions.
template <class T>
struct Value;

template <>
struct Value<bool> {
  static constexpr Kind kind = Kind::flag;
  static std::string text(bool value) { return value ? "yes" : "no"; }
  static void take(bool& value, std::string_view text, const Option& row, std::string_view shown) {
    value = flag_in(text, row, shown);
  }
  static void to_c(bool value, int& c) { c = value ? 1 : 0; }
  static void from_c(bool& value, const Option&, int c) { value = c != 0; }
};

template <>
struct Value<int> {
  static constexpr Kind kind = Kind::whole;
  static std::string text(int value) { return std::to_string(value); }
  static void take(int& value, std::string_view text, const Option& row, std::string_view shown) {
    value = static_cast<int>(whole_in(text, row, shown));
  }
  static void to_c(int value, int& c) { c = value; }
  static void from_c(int& value, const Option&, int c) { value = c; }
};

template <>
struct Value<std::uint64_t> {
  static constexpr Kind kind = Kind::count;
  static std::string text(std::uint64_t value) { return std::to_string(value); }
  static void take(std::uint64_t& value, std::string_view text, const Option& row, std::string_view shown) {
    value = count_in(text, row, shown);
  }
  static void to_c(std::uint64_t value, std::uint64_t& c) { c = value; }
  static void from_c(std::uint64_t& value, const Option&, std::uint64_t c) { value = c; }
};

template <>
struct Value<double> {
  static constexpr Kind kind = Kind::real;
  static std::string text(double value) { return real_text(value); }
  static void take(double& value, std::string_view text, const Option& row, std::string_view shown) {
    value = real_in(text, row, shown);
  }
  static void to_c(double value, double& c) { c = value; }
  static void from_c(double& value, const Option&, double c) { value = c; }
};

template <>
struct Value<std::string> {
  static constexpr Kind kind = Kind::text;
  static std::string text(const std::string& value) { return value; }
  static void take(std::string& value, std::string_view text, const Option&, std::string_view) { value = text; }
  static void to_c(const std::string&, const char*& c) { c = nullptr; }  // the default of every text
  static void from_c(std::string& value, const Option&, const char* c) { value = c == nullptr ? "" : c; }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Value<Enum> {
  static constexpr Kind kind = Kind::choice;
  static constexpr std::span<const Choice> all = choices<Enum>;
  static std::string text(Enum value) { return choice_text(all, static_cast<int>(value)); }
  static void take(Enum& value, std::string_view text, const Option& row, std::string_view shown) {
    value = static_cast<Enum>(choice_in(text, row, shown));
  }
  static void to_c(Enum value, int& c) { c = static_cast<int>(value); }
  static void from_c(Enum& value, const Option& row, int c) { value = static_cast<Enum>(choice_of_c(c, row)); }
};

// If not given: an empty text, and in C 0, or LQ_AS_IT_IS where 0 is a value.
template <class Enum>
requires std::is_enum_v<Enum>
struct Value<std::optional<Enum>> {
  static constexpr Kind kind = Kind::choice;
  static constexpr std::span<const Choice> all = choices<Enum>;
  static std::string text(const std::optional<Enum>& value) { return value ? Value<Enum>::text(*value) : ""; }
  static void take(std::optional<Enum>& value, std::string_view text, const Option& row, std::string_view shown) {
    value = static_cast<Enum>(choice_in(text, row, shown));
  }
  static void to_c(const std::optional<Enum>& value, int& c) { c = value ? static_cast<int>(*value) : not_given; }
  static void from_c(std::optional<Enum>& value, const Option& row, int c) {
    if (c != not_given) value = static_cast<Enum>(choice_of_c(c, row));
  }

 private:
  static constexpr int not_given =
      std::ranges::any_of(choices<Enum>, [](const Choice& one) { return one.number == 0; }) ? LQ_AS_IT_IS : 0;
};

template <>
struct Value<std::optional<bool>> {
  static constexpr Kind kind = Kind::flag;
  static std::string text(const std::optional<bool>& value) { return value ? Value<bool>::text(*value) : ""; }
  static void take(std::optional<bool>& value, std::string_view text, const Option& row, std::string_view shown) {
    value = flag_in(text, row, shown);
  }
  static void to_c(const std::optional<bool>& value, int& c) { c = value ? (*value ? 1 : 0) : LQ_AS_IT_IS; }
  static void from_c(std::optional<bool>& value, const Option&, int c) {
    if (c != LQ_AS_IT_IS) value = c != 0;
  }
};

// Each text adds one NAME=TEXT.
template <>
struct Value<Metadata> {
  static constexpr Kind kind = Kind::texts;
  static std::string text(const Metadata& value) { return metadata_text(value); }
  static void take(Metadata& value, std::string_view text, const Option&, std::string_view shown) {
    value.push_back(metadata_in(text, shown));
  }
  static void to_c(const Metadata&, const lq_metadata*& c, std::size_t& count) {
    c = nullptr;
    count = 0;
  }
  static void from_c(Metadata& value, const Option&, const lq_metadata* c, std::size_t count) {
    value = metadata_of(c, count);
  }
};

template <>
struct Value<std::optional<Box>> {
  static constexpr Kind kind = Kind::box;
  static std::string text(const std::optional<Box>& value) { return value ? box_text(*value) : "whole"; }
  static void to_c(const std::optional<Box>&, const std::int64_t*& lower, const std::int64_t*& extents, int& count) {
    lower = extents = nullptr;
    count = 0;
  }
  static void from_c(std::optional<Box>& value, const Option&, const std::int64_t* lower, const std::int64_t* extents,
                     int dimensions) {
    if (lower == nullptr && extents == nullptr) return;
    value = Box{coord_of(lower, dimensions, "region_lower"), coord_of(extents, dimensions, "region_extents")};
  }
};

// A function and its context argument. In C++ the observer of sweeps also receives the field.
template <class... Arguments>
struct Value<std::function<void(Arguments...)>> {
  using Function = std::function<void(Arguments...)>;
  static constexpr Kind kind = Kind::callback;
  static std::string text(const Function& value) { return value ? "given" : ""; }
  template <class Call>
  static void to_c(const Function&, Call*& call, void*& context) {
    call = nullptr;
    context = nullptr;
  }
  template <class Call>
  static void from_c(Function& value, const Option&, Call* call, void* context) {
    if (call == nullptr) return;
    value = [call, context](Arguments... arguments) {
      if constexpr (std::is_invocable_v<Call*, Arguments..., void*>) {
        call_or_stop(call, arguments..., context);
      } else {
        call_or_stop(call, std::get<0>(std::forward_as_tuple(arguments...)), context);
      }
    };
  }
};

}  // namespace lq::options
