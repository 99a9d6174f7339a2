// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Answers as JSON text: one schema for `lq --json`, the C API and Python (docs/reference/json.md).
#pragma once

#include <limequat/language.hpp>

#include <string>

#include <limequat/catalog.hpp>
#include <limequat/diagnose.hpp>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/physics.hpp>
#include <limequat/protect.hpp>
#include <limequat/repack.hpp>
#include <limequat/repartition.hpp>
#include <limequat/report.hpp>
#include <limequat/squeeze.hpp>
#include <limequat/staging.hpp>

namespace lq {

// Local. One object on one line, UTF-8; bytes that are not UTF-8 are written as U+FFFD.
LQ_API std::string to_json(const Catalog& catalog);
LQ_API std::string to_json(const FieldSpec& spec);
LQ_API std::string to_json(const Checksum& checksum);
LQ_API std::string to_json(const Report& report);
LQ_API std::string to_json(const RepackReport& report);
LQ_API std::string to_json(const CopyReport& report);
LQ_API std::string to_json(const RepartitionReport& report);
LQ_API std::string to_json(const PartitionedFile& file);
LQ_API std::string to_json(const Matching& matching);
LQ_API std::string to_json(const SqueezeReport& report);
LQ_API std::string to_json(const ProtectReport& report);
LQ_API std::string to_json(const Verification& verification);
LQ_API std::string to_json(const Diagnosis& diagnosis);
LQ_API std::string to_json(const Difference& difference);
LQ_API std::string to_json(const Physics& physics);
LQ_API std::string to_json(const Plaquette& plaquette);
LQ_API std::string to_json(const Observables& observables);
LQ_API std::string to_json(const std::vector<Finding>& findings);
LQ_API std::string to_json(const std::vector<FormatInfo>& formats);
LQ_API std::string to_json(const std::vector<BuildPart>& parts);
LQ_API std::string to_json(const std::vector<Annotation>& annotations);
LQ_API std::string to_json(const Error& error);

}  // namespace lq
