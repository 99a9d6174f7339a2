// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// partest: how fast the ranks of a communicator write and read, with a multifile or by other means.
#include "programs/partest/target.hpp"

int main(int argc, char** argv) { return lq::partest::run_benchmark(argc, argv, {}); }
