/* Copyright (c) 2026 The Limequat authors */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for QMP's header, in one process that has not begun to use it. */
#ifndef LQ_TEST_QMP_H
#define LQ_TEST_QMP_H
static inline int QMP_of_this_test(void) { return 0; }
#endif
