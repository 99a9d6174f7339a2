// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All structs of options in one list. Tables, translations from C and the C functions are generated from it.
#pragma once

#include <string_view>

#include <limequat.h>
#include <limequat/checkpoints.hpp>
#include <limequat/diagnose.hpp>
#include <limequat/ensemble.hpp>
#include <limequat/hdf5.hpp>
#include <limequat/inspect.hpp>
#include <limequat/multifile.hpp>
#include <limequat/options.hpp>
#include <limequat/physics.hpp>
#include <limequat/plan.hpp>
#include <limequat/protect.hpp>
#include <limequat/qcdml.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>

#include "options/option.hpp"

// In the order of the reference page: name and type in C++, type in C, and the function that makes the table.
// clang-format off
#define LQ_CORE_OPTION_STRUCTS(row)                                                                    \
  row(WriteOptions, WriteOptions, lq_write_options, write_table)                                       \
  row(ReadOptions, ReadOptions, lq_read_options, read_table)                                           \
  row(Limits, Limits, lq_scan_options, scan_table)                                                     \
  row(VerifyOptions, VerifyOptions, lq_verify_options, verify_table)                                   \
  row(DiagnoseOptions, DiagnoseOptions, lq_diagnose_options, diagnose_table)                           \
  row(ConvertOptions, ConvertOptions, lq_convert_options, convert_table)                               \
  row(DiffOptions, DiffOptions, lq_diff_options, diff_table)                                           \
  row(PlanRequest, PlanRequest, lq_plan_options, plan_table)                                           \
  row(ObservablesOptions, ObservablesOptions, lq_observables_options, observables_table)               \
  row(GenerateOptions, GenerateOptions, lq_generate_options, generate_table)                           \
  row(MultifileOptions, MultifileOptions, lq_multifile_options, multifile_table)                       \
  row(MultifileReadOptions, MultifileReadOptions, lq_multifile_read_options, multifile_read_table)     \
  row(RepackOptions, RepackOptions, lq_repack_options, repack_table)                                   \
  row(RepairOptions, RepairOptions, lq_multifile_repair_options, repair_table)                         \
  row(CheckpointsOptions, CheckpointsOptions, lq_checkpoints_options, checkpoints_table)               \
  row(CheckpointListOptions, CheckpointListOptions, lq_checkpoint_list_options, checkpoint_list_table) \
  row(CopyOptions, CopyOptions, lq_copy_options, copy_table)                                           \
  row(RepartitionOptions, RepartitionOptions, lq_repartition_options, repartition_table)               \
  row(SqueezeOptions, SqueezeOptions, lq_squeeze_options, squeeze_table)                               \
  row(ProtectOptions, ProtectOptions, lq_protect_options, protect_table)
// The same, with the structs whose C functions are in component libraries.
#define LQ_OPTION_STRUCTS(row)                                                             \
  LQ_CORE_OPTION_STRUCTS(row)                                                              \
  row(Hdf5Options, Hdf5Options, lq_hdf5_options, hdf5_table)                               \
  row(CatalogueOptions, ensemble::CatalogueOptions, lq_catalogue_options, catalogue_table) \
  row(QcdmlOptions, ildg::QcdmlOptions, lq_qcdml_options, qcdml_table)
// clang-format on

namespace lq::options {

// The C++ counterpart of a C struct.
template <class C>
struct Meaning;

#define LQ_MEANING(title, type, c, make)             \
  template <>                                        \
  struct Meaning<c> {                                \
    using Options = type;                            \
    static constexpr std::string_view name = #title; \
    static constexpr std::string_view c_name = #c;   \
  };                                                 \
  Table make();
LQ_OPTION_STRUCTS(LQ_MEANING)
#undef LQ_MEANING

}  // namespace lq::options
