// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion of a part of the lattice, which becomes the whole lattice of the new file. Each rank holds its sites.
#pragma once

#include <string>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/inspect.hpp>
#include <limequat/report.hpp>

#include "io/field_writer.hpp"
#include "io/scan.hpp"
#include "storage/transport.hpp"

namespace lq::io {

// Collective. Sites `part` of a field of `source`, as field `name` into the file of `writer`, which is `to` of
// `transport`. What the sums of the source cover is compared; where none covers just these sites, the whole source is
// verified.
Report convert_part(FieldWriter& writer, storage::Transport& transport, const std::string& to, const std::string& name,
                    const Metadata& texts, ScannedFile& source, const FieldEntry& entry, const Box& part,
                    const Communicator& communicator, const ConvertOptions& options);

}  // namespace lq::io
