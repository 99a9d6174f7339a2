/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of a test program. */
#ifndef LQ_TEST_NODES_H
#define LQ_TEST_NODES_H

void start_nodes(int* argc, char*** argv);
/* From now on the nodes are every other one of all; which half this one is in. */
int take_half(void);
int count_nodes(void);
int this_node(void);
void wait_for_nodes(void);
void end_nodes(void);

#endif
