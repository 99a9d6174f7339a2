/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For libraries that programs name, but whose functions are all in another one. */
extern const char _sion_is_elsewhere[];
const char _sion_is_elsewhere[] = "sioncom_64";
