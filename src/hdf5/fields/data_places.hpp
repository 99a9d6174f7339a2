// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the numbers of a field lie in a file that is being planned: in one piece, in several arrays, in chunks.
#pragma once

#include "hdf5/layouts/layout_writer.hpp"

namespace lq::hdf5 {

// Gives the datasets the chunks and filters that the request asks for; the payload knows them then.
void add_chunks(FieldDatasets& field, Payload& payload, const format::FieldRequest& request);
// Each of the arrays, or of their chunks, from `first` on; arrays begin at the alignment.
void place_data(Payload& payload, const std::vector<DatasetPlan>& datasets, std::uint64_t first,
                std::uint64_t alignment);

}  // namespace lq::hdf5
