// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Option structs to the options of C++, row by row of their tables.
#pragma once

#include <string_view>

#include <limequat/diagnose.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>
#include <limequat/options.hpp>
#include <limequat/physics.hpp>
#include <limequat/plan.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>

#include <limequat.h>

#include "capi/option_struct.hpp"
#include "options/option.hpp"

namespace lq::capi {

// The struct of C++ that one of C stands for, and its table.
template <class C>
struct Meaning;
template <>
struct Meaning<lq_write_options> {
  using Options = WriteOptions;
  static constexpr std::string_view table = "WriteOptions";
};
template <>
struct Meaning<lq_read_options> {
  using Options = ReadOptions;
  static constexpr std::string_view table = "ReadOptions";
};
template <>
struct Meaning<lq_scan_options> {
  using Options = Limits;
  static constexpr std::string_view table = "Limits";
};
template <>
struct Meaning<lq_verify_options> {
  using Options = VerifyOptions;
  static constexpr std::string_view table = "VerifyOptions";
};
template <>
struct Meaning<lq_diagnose_options> {
  using Options = DiagnoseOptions;
  static constexpr std::string_view table = "DiagnoseOptions";
};
template <>
struct Meaning<lq_convert_options> {
  using Options = ConvertOptions;
  static constexpr std::string_view table = "ConvertOptions";
};
template <>
struct Meaning<lq_diff_options> {
  using Options = DiffOptions;
  static constexpr std::string_view table = "DiffOptions";
};
template <>
struct Meaning<lq_plan_options> {
  using Options = PlanRequest;
  static constexpr std::string_view table = "PlanRequest";
};
template <>
struct Meaning<lq_generate_options> {
  using Options = GenerateOptions;
  static constexpr std::string_view table = "GenerateOptions";
};
template <>
struct Meaning<lq_multifile_options> {
  using Options = MultifileOptions;
  static constexpr std::string_view table = "MultifileOptions";
};
template <>
struct Meaning<lq_multifile_read_options> {
  using Options = MultifileReadOptions;
  static constexpr std::string_view table = "MultifileReadOptions";
};

template <>
struct Meaning<lq_repack_options> {
  using Options = RepackOptions;
  static constexpr std::string_view table = "RepackOptions";
};
template <>
struct Meaning<lq_multifile_repair_options> {
  using Options = RepairOptions;
  static constexpr std::string_view table = "RepairOptions";
};

template <>
struct Meaning<lq_copy_options> {
  using Options = CopyOptions;
  static constexpr std::string_view table = "CopyOptions";
};
template <>
struct Meaning<lq_repartition_options> {
  using Options = RepartitionOptions;
  static constexpr std::string_view table = "RepartitionOptions";
};
template <>
struct Meaning<lq_squeeze_options> {
  using Options = SqueezeOptions;
  static constexpr std::string_view table = "SqueezeOptions";
};

template <class C>
const options::Table& table_of() {
  static const options::Table& table = options::table_named(Meaning<C>::table);
  return table;
}

// Those of C++, translated.
template <class C>
C defaults() {
  const typename Meaning<C>::Options meant{};
  C c{};
  c.struct_size = sizeof c;
  for (const options::Option& row : table_of<C>().rows) row.member.to_c(&meant, &c);
  return c;
}

template <class C>
C given_options(const C* options) {
  return given_options(options, defaults<C>());
}

template <class C>
typename Meaning<C>::Options options_of(const C* options) {
  const C c = given_options(options);
  typename Meaning<C>::Options meant{};
  for (const options::Option& row : table_of<C>().rows) row.member.from_c(&meant, &c, row);
  return meant;
}

// ... with those of the file that is written.
ConvertOptions convert_options(const lq_convert_options* options);
// What is asked of a plan, without lattice, process grid and field; and the machine it is made for.
PlanRequest plan_request(const lq_plan_options* options, int dimensions);
Machine machine_of(const lq_plan_options* options);

}  // namespace lq::capi
