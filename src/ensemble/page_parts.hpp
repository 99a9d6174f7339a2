// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The files of src/ensemble/page as texts in the library, so that no installed file has to be found.
#pragma once

#include <string_view>

namespace lq::ensemble {

extern const std::string_view page_frame;  // with {{title}}, {{subtitle}}, {{style}}, {{data}}, {{script}}
extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace lq::ensemble
