# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Observables of gauge fields [t, z, y, x, mu, N, N] in plain numpy, by other ways than the library's: closed paths that are
walked step by step with np.roll, the Lie algebra by projections, exponentials by eigenvalues."""

import itertools

import numpy as np


def dagger(m):
    return m.conj().swapaxes(-1, -2)


def at(field, u, mu, steps):
    """A field of sites, `steps` sites further along mu: the value at x + steps mu stands at x."""
    dims = u.ndim - 3
    return np.roll(field, -steps, axis=dims - 1 - mu)


def walk(u, steps):
    """The product of links along a path from every site. steps: 1 to d forwards, -1 to -d backwards."""
    product = np.broadcast_to(np.eye(u.shape[-1]), u.shape[:-3] + u.shape[-2:]).astype(complex)
    place = [0] * (u.ndim - 3)
    for step in steps:
        mu = abs(step) - 1
        if step < 0:
            place[mu] -= 1
        link = u[..., mu, :, :]
        for direction, count in enumerate(place):
            link = at(link, u, direction, count)
        product = product @ (link if step > 0 else dagger(link))
        if step > 0:
            place[mu] += 1
    return product


def trace(m):
    return np.einsum("...aa->...", m)


def loop(u, mu, r, nu, s):
    """Mean of Re Tr W / N of r steps along mu and s along nu (from 0)."""
    a, b = mu + 1, nu + 1
    return trace(walk(u, [a] * r + [b] * s + [-a] * r + [-b] * s)).real.mean() / u.shape[-1]


def wilson_loops(u):
    """{(r, s): (average, spatial, temporal)}"""
    time = u.ndim - 4
    result = {}
    for r, s in itertools.product((1, 2), repeat=2):
        space = [loop(u, a, sides[0], b, sides[1])
                 for a, b in itertools.combinations(range(time), 2) for sides in ((r, s), (s, r))]
        both = [loop(u, a, sides[0], time, sides[1]) for a in range(time) for sides in ((r, s), (s, r))]
        temporal = [loop(u, a, r, time, s) for a in range(time)]
        result[r, s] = (np.mean(space + both), np.mean(space) if space else 0.0, np.mean(temporal))
    return result


def polyakov_loop(u):
    time = u.ndim - 4
    lines = u[0, ..., time, :, :]
    for t in range(1, len(u)):
        lines = lines @ u[t, ..., time, :, :]
    return trace(lines).mean() / u.shape[-1]


def field_strength(u, mu, nu):
    a, b = mu + 1, nu + 1
    clover = sum(walk(u, path) for path in ((a, b, -a, -b), (b, -a, -b, a), (-a, -b, a, b), (-b, a, b, -a)))
    return (clover - dagger(clover)) / 8j


def charge(u):
    """epsilon Tr F F / (32 pi^2), all 24 terms, at each site."""
    f = {}
    for a, b in itertools.combinations(range(4), 2):
        f[a, b] = field_strength(u, a, b)
        f[b, a] = -f[a, b]
    total = 0
    for p in itertools.permutations(range(4)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(4) for j in range(i + 1, 4))
        total = total + sign * trace(f[p[0], p[1]] @ f[p[2], p[3]])
    return total.real / (32 * np.pi ** 2)


def energies(u):
    """(clover, plaquette): F^a F^a / 4 with F^a = 2 Tr(T^a F) by components without the trace, and 2 sum Re Tr(1 - U_P)."""
    dims, n = u.ndim - 3, u.shape[-1]
    clover = plaquette = 0.0
    for a, b in itertools.combinations(range(dims), 2):
        f = field_strength(u, a, b)
        f = f - trace(f)[..., None, None] * np.eye(n) / n
        clover += trace(f @ f).real.mean()
        plaquette += 2 * n * (1 - loop(u, a, 1, b, 1))
    return clover, plaquette


def force(u):
    """-P(sum of the plaquettes of each link), P the projection to the Lie algebra."""
    dims, n = u.ndim - 3, u.shape[-1]
    result = np.empty_like(u)
    for mu in range(dims):
        total = 0
        for nu in range(dims):
            if nu != mu:
                a, b = mu + 1, nu + 1
                total = total + walk(u, (a, b, -a, -b)) + walk(u, (a, -b, -a, b))
        anti = (total - dagger(total)) / 2
        result[..., mu, :, :] = -(anti - trace(anti)[..., None, None] * np.eye(n) / n)
    return result


def exponential(z):
    """Of anti-Hermitian matrices."""
    values, vectors = np.linalg.eigh(1j * z)
    return (vectors * np.exp(-1j * values)[..., None, :]) @ dagger(vectors)


def flow_step(u, step):
    """Luescher, arXiv:1006.4518, (C.2)."""
    z0 = step * force(u)
    w1 = exponential(z0 / 4) @ u
    z1 = step * force(w1)
    w2 = exponential(8 / 9 * z1 - 17 / 36 * z0) @ w1
    z2 = step * force(w2)
    return exponential(3 / 4 * z2 - 8 / 9 * z1 + 17 / 36 * z0) @ w2


def first_crossing(values, step, level):
    for k in range(1, len(values)):
        if values[k - 1] < level <= values[k]:
            return step * (k - 1 + (level - values[k - 1]) / (values[k] - values[k - 1]))
    return None


def scales(found, step):
    """(t0, w0) of energies at times 0, step, ..."""
    squares = [(k * step) ** 2 * e for k, e in enumerate(found)]
    slopes = [0] + [k * step * (squares[k + 1] - squares[k - 1]) / (2 * step) for k in range(1, len(squares) - 1)]
    w = first_crossing(slopes, step, 0.3)
    return first_crossing(squares, step, 0.3), None if w is None else np.sqrt(w)
