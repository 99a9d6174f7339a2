/* Copyright (c) 2026 The Limequat authors
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Sites over nodes in several ways, by tables, as layouts of QIO. */
#ifndef LQ_TEST_LAYOUTS_H
#define LQ_TEST_LAYOUTS_H

#include <qio.h>
#include <stdlib.h>
#include <string.h>

static int lattice_dims, lattice[8];
static size_t lattice_volume;
static int* node_of_site;
static size_t* index_of_site;
static size_t** site_of_index; /* by node */
static size_t* sites_of_node;
static long callbacks; /* how often a layout's function was called */
static int is_blind;   /* where the node's sites are cannot be told yet */

static size_t site_at(const int x[]) {
  size_t site = 0;
  int d;
  for (d = lattice_dims - 1; d >= 0; --d) site = site * (size_t)lattice[d] + (size_t)x[d];
  return site;
}

static void point_of(size_t site, int x[]) {
  int d;
  for (d = 0; d < lattice_dims; ++d) {
    x[d] = (int)(site % (size_t)lattice[d]);
    site /= (size_t)lattice[d];
  }
}

static int node_number(const int x[]) {
  ++callbacks;
  return node_of_site[site_at(x)];
}
static int node_index(const int x[]) {
  ++callbacks;
  return (int)index_of_site[site_at(x)];
}
static void get_coords(int x[], int node, int index) {
  if (is_blind) abort();
  ++callbacks;
  point_of(site_of_index[node][index], x);
}
static int num_sites(int node) {
  ++callbacks;
  return (int)sites_of_node[node];
}
static int node_number_ext(const int x[], void* arg) { return arg == lattice ? node_number(x) : -1; }
static QIO_Index node_index_ext(const int x[], void* arg) { return arg == lattice ? (QIO_Index)node_index(x) : 0; }
static void get_coords_ext(int x[], int node, QIO_Index index, void* arg) {
  if (arg == lattice) get_coords(x, node, (int)index);
}
static QIO_Index num_sites_ext(int node, void* arg) { return arg == lattice ? (QIO_Index)num_sites(node) : 0; }

/* Nodes along the slowest dimensions first, as far as these divide. */
static void find_grid(int nodes, int grid[]) {
  int d, prime;
  for (d = 0; d < lattice_dims; ++d) grid[d] = 1;
  for (prime = 2; nodes > 1; ++prime) {
    while (nodes % prime == 0) {
      for (d = lattice_dims - 1; d >= 0 && lattice[d] / grid[d] % prime != 0; --d) continue;
      grid[d < 0 ? 0 : d] *= prime;
      nodes /= prime;
    }
  }
}

static int node_in_grid(const int x[], const int grid[], int* parity) {
  int d, node = 0, sum = 0;
  for (d = lattice_dims - 1; d >= 0; --d) {
    node = node * grid[d] + x[d] * grid[d] / lattice[d];
    sum += x[d];
  }
  *parity = sum % 2;
  return node;
}

/* "box", "evenodd": boxes, their even sites first; "scatter": anywhere; "uneven": half of the lattice on node 0;
 * "xsplit": boxes along the fastest dimension; "reverse": as "evenodd", the last box on node 0. */
static void make_tables(const char* kind, int nodes) {
  int grid[8], x[8], pass, node;
  size_t site;
  node_of_site = malloc(lattice_volume * sizeof(int));
  index_of_site = malloc(lattice_volume * sizeof(size_t));
  sites_of_node = calloc((size_t)nodes, sizeof(size_t));
  site_of_index = calloc((size_t)nodes, sizeof(size_t*));
  find_grid(nodes, grid);
  if (strcmp(kind, "xsplit") == 0) {
    int d;
    for (d = 1; d < lattice_dims; ++d) grid[d] = 1;
    grid[0] = nodes;
  }
  for (node = 0; node < nodes; ++node) site_of_index[node] = malloc(lattice_volume * sizeof(size_t));
  for (pass = 0; pass < 2; ++pass) {
    for (site = 0; site < lattice_volume; ++site) {
      int parity, home;
      point_of(site, x);
      home = node_in_grid(x, grid, &parity);
      if (strcmp(kind, "evenodd") != 0 && strcmp(kind, "reverse") != 0) parity = 0;
      if (strcmp(kind, "reverse") == 0) home = nodes - 1 - home;
      if (strcmp(kind, "scatter") == 0) home = (int)(site * 2654435761u / 97 % (size_t)nodes);
      if (strcmp(kind, "uneven") == 0) home = site < lattice_volume / 2 ? 0 : (int)(site % (size_t)nodes);
      if (parity != pass) continue;
      node_of_site[site] = home;
      index_of_site[site] = sites_of_node[home];
      site_of_index[home][sites_of_node[home]++] = site;
    }
  }
}

static void free_tables(int nodes) {
  int node;
  for (node = 0; node < nodes; ++node) free(site_of_index[node]);
  free(site_of_index);
  free(sites_of_node);
  free(index_of_site);
  free(node_of_site);
}

static void make_layout(QIO_Layout* layout, const char* kind, int nodes, int me, int is_extended) {
  memset(layout, 0, sizeof *layout);
  make_tables(kind, nodes);
  if (is_extended) {
    layout->node_number_ext = node_number_ext;
    layout->node_index_ext = node_index_ext;
    layout->get_coords_ext = get_coords_ext;
    layout->num_sites_ext = num_sites_ext;
    layout->arg = lattice;
  } else {
    layout->node_number = node_number;
    layout->node_index = node_index;
    layout->get_coords = get_coords;
    layout->num_sites = num_sites;
  }
  layout->latsize = lattice;
  layout->latdim = lattice_dims;
  layout->volume = lattice_volume;
  layout->sites_on_node = sites_of_node[me];
  layout->this_node = me;
  layout->number_of_nodes = nodes;
}

#endif
