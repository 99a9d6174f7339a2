// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows that several tables have: routes of sites, bounds on allocations requested by files, and progress callbacks.
#pragma once

#include <memory>
#include <utility>

#include "options/structs.hpp"
#include "options/values.hpp"

namespace lq::options {

// Rows of a table made of pointers to members, so that the compiler checks names and types in both languages.

// The path to a member of a member: Path<&WriteOptions::route, &RouteOptions::strategy>.
template <auto... steps>
struct Path {
  template <class Options>
  static auto& in(Options& options) {
    return (options.*....*steps);
  }
};

template <class T>
inline constexpr std::string_view c_type = "pointer";
template <>
inline constexpr std::string_view c_type<int> = "int";
template <>
inline constexpr std::string_view c_type<std::uint64_t> = "uint64";
template <>
inline constexpr std::string_view c_type<double> = "double";
template <>
inline constexpr std::string_view c_type<const char*> = "text";

template <class C, class T>
CMember c_member(std::string_view name, T C::*member) {
  static const C none{};
  const auto* begin = reinterpret_cast<const std::byte*>(&none);
  const auto* place = reinterpret_cast<const std::byte*>(&(none.*member));
  return {name, c_type<std::remove_const_t<T>>, static_cast<std::size_t>(place - begin)};
}

// The functions of one row: Options and C are the structs of the table.
template <class Options, class C, class Where, auto... c_members>
struct Access {
  using Type = std::remove_cvref_t<decltype(Where::in(std::declval<Options&>()))>;
  using Kept = Value<Type>;

  static std::string text(const void* options) { return Kept::text(Where::in(*static_cast<const Options*>(options))); }
  static void take(void* options, std::string_view text, const Option& row, std::string_view shown) {
    if constexpr (requires(Type & value) { Kept::take(value, text, row, shown); }) {
      Kept::take(Where::in(*static_cast<Options*>(options)), text, row, shown);
    } else {
      reject(shown, text, "no text: set the member of the struct instead");
    }
  }
  static void to_c(const void* options, void* c) {
    Kept::to_c(Where::in(*static_cast<const Options*>(options)), (static_cast<C*>(c)->*c_members)...);
  }
  static void from_c(void* options, const void* c, const Option& row) {
    Kept::from_c(Where::in(*static_cast<Options*>(options)), row, (static_cast<const C*>(c)->*c_members)...);
  }
  static void lend(void* c, const char* text) { ((static_cast<C*>(c)->*c_members = text), ...); }

  static Member member(std::vector<CMember> places) {
    Member result{.kind = Kept::kind, .c = std::move(places), .text = text, .take = take};
    if constexpr (Kept::kind == Kind::choice) result.choices = Kept::all;
    if constexpr (sizeof...(c_members) > 0) {
      result.to_c = to_c;
      result.from_c = from_c;
      if constexpr (Kept::kind == Kind::text) result.lend = lend;
    }
    return result;
  }
};

// Rows of one pair of structs.
template <class Options, class C>
struct Rows {
  template <class Where, auto... c_members>
  static Option with(Option row, std::vector<std::string_view> c_names) {
    std::vector<CMember> places;
    std::size_t next = 0;
    (places.push_back(c_member(c_names.at(next++), c_members)), ...);
    row.member = Access<Options, C, Where, c_members...>::member(std::move(places));
    if (row.path.empty()) row.path = row.name;
    return row;
  }
  // One C member with the name of the option.
  template <class Where, auto c_member>
  static Option at(Option row) {
    const std::string_view name = row.name;
    return with<Where, c_member>(std::move(row), {name});
  }
  template <auto member, auto c_member>
  static Option row(Option row) {
    return at<Path<member>, c_member>(std::move(row));
  }
};

// A table without its rows; Python functions and verbs of `lq` accept its options.
template <class C>
Table table(std::string_view summary, std::vector<std::string_view> functions,
            std::vector<std::string_view> verbs = {}) {
  Table result{.name = Meaning<C>::name, .c_name = Meaning<C>::c_name, .summary = summary};
  result.functions = std::move(functions);
  result.verbs = std::move(verbs);
  result.c_size = sizeof(C);
  result.others.push_back(c_member("struct_size", &C::struct_size));
  result.others.back().type = "size";
  if constexpr (requires { &C::communicator; }) result.others.push_back(c_member("communicator", &C::communicator));
  result.defaults = std::make_shared<const typename Meaning<C>::Options>();
  return result;
}

inline void append(std::vector<Option>& rows, std::vector<Option> more) {
  for (Option& row : more) rows.push_back(std::move(row));
}

// The texts of the rows, in the order of the members.
std::vector<Option> route_texts();
std::vector<Option> limit_texts();
Option threads_text();
Option observables_text();
std::vector<Option> flow_texts();
std::vector<Option> stripe_texts();
Option block_bytes_text();
Option overwrite_text();
Option sync_at_the_end_text();
Option dry_run_text();
Option progress_text();

// `route` and `limits` lead to these structs within Options.
template <class Options, class C, auto route>
std::vector<Option> route_rows() {
  using Row = Rows<Options, C>;
  using R = RouteOptions;
  std::vector<Option> texts = route_texts();
  for (Option& row : texts) row.path = "route." + std::string(row.name);
  return {Row::template at<Path<route, &R::strategy>, &C::strategy>(texts.at(0)),
          Row::template at<Path<route, &R::aggregators>, &C::aggregators>(texts.at(1)),
          Row::template at<Path<route, &R::chunk_bytes>, &C::chunk_bytes>(texts.at(2)),
          Row::template at<Path<route, &R::alignment>, &C::alignment>(texts.at(3)),
          Row::template at<Path<route, &R::memory_bytes>, &C::memory_bytes>(texts.at(4)),
          Row::template at<Path<route, &R::threads>, &C::threads>(texts.at(5)),
          Row::template at<Path<route, &R::profile>, &C::profile>(texts.at(6))};
}

template <class Options, class C>
std::vector<Option> stripe_rows() {
  using Row = Rows<Options, C>;
  std::vector<Option> texts = stripe_texts();
  return {Row::template row<&Options::stripe_count, &C::stripe_count>(texts.at(0)),
          Row::template row<&Options::stripe_bytes, &C::stripe_bytes>(texts.at(1)),
          Row::template row<&Options::stripes_by_size, &C::stripes_by_size>(texts.at(2))};
}

template <class Options, class C, auto... limits>
std::vector<Option> limit_rows() {
  using Row = Rows<Options, C>;
  std::vector<Option> texts = limit_texts();
  const std::string within = sizeof...(limits) > 0 ? "limits." : "";
  texts.at(0).path = within + "records";
  texts.at(1).path = within + "text_bytes";
  return {Row::template at<Path<limits..., &Limits::records>, &C::limit_records>(texts.at(0)),
          Row::template at<Path<limits..., &Limits::text_bytes>, &C::limit_text_bytes>(texts.at(1))};
}

template <class Options, class C>
Option threads_row() {
  return Rows<Options, C>::template row<&Options::threads, &C::threads>(threads_text());
}

template <class Options, class C>
std::vector<Option> flow_rows() {
  using Row = Rows<Options, C>;
  std::vector<Option> texts = flow_texts();
  return {Row::template row<&Options::flow_steps, &C::flow_steps>(texts.at(0)),
          Row::template row<&Options::flow_step, &C::flow_step>(texts.at(1))};
}

template <class Options, class C>
Option progress_row() {
  return Rows<Options, C>::template with<Path<&Options::progress>, &C::progress, &C::progress_context>(
      progress_text(), {"progress", "progress_context"});
}

}  // namespace lq::options
