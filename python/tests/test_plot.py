# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: what they are made of against other sources, and that they are drawn."""

import sys

import numpy as np
import pytest
from conftest import random_links

import limequat as lq


def drawn(figure, tmp_path):
    """The bytes of a picture."""
    figure.savefig(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(b"\x89PNG") and figure._repr_png_().startswith(b"\x89PNG")
    return data


def texts(figure):
    """All texts in a picture."""
    matplotlib_text = pytest.importorskip("matplotlib.text")
    return [text.get_text() for text in figure.findobj(matplotlib_text.Text) if text.get_text()]


@pytest.fixture
def damaged(tmp_path):
    """A file with a hole in time slice 3."""
    u = lq.generate((4, 4, 4, 8), sweeps=2)
    path = tmp_path / "conf.ildg"
    lq.write(path, u)
    data = bytearray(path.read_bytes())
    offset = lq.info(path).fields[0].offset + 3 * u[0].nbytes + 500
    data[offset:offset + 2000] = bytes(2000)
    path.write_bytes(data)
    return path


def test_a_missing_matplotlib_is_said_with_the_remedy(gauge_file, links, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    for picture, argument in ((lq.plot.layout, gauge_file), (lq.plot.plaquette, links), (lq.plot.damage, gauge_file)):
        with pytest.raises(ImportError, match="needs matplotlib.*pip install matplotlib"):
            picture(argument)


def test_pieces_are_the_whole_file_without_gaps(gauge_file, links):
    pieces, data = lq.plot.pieces(gauge_file), gauge_file.read_bytes()
    assert pieces[0].offset == 0 and sum(piece.length for piece in pieces) == len(data)
    assert all(a.offset + a.length == b.offset for a, b in zip(pieces, pieces[1:]))
    found = {piece.name: data[piece.offset:piece.offset + piece.length] for piece in pieces if piece.kind != "between"}
    assert found["xlf-info"].rstrip(b"\0") == f"plaquette = {lq.plaquette(links).average:.12f}".encode() and len(found["gauge"]) == 5 * 3 * 2 * 4 * 4 * 9 * 16
    assert found["gauge"] == lq.read(gauge_file).astype(">c16").tobytes()


def test_plaquettes_are_those_of_the_library(links):
    for u in (links, random_links((3, 5, 2, 2), seed=3).reshape(3, 5, 2, 2, 3, 3)[..., None, :, :].repeat(4, axis=4)):
        found, library = lq.plot.plaquettes(u), lq.plaquette(u)
        assert sorted(found) == ["xt", "xy", "xz", "yt", "yz", "zt"] and found["xy"].shape == u.shape[:4]
        temporal = np.mean([found[pair].mean() for pair in ("xt", "yt", "zt")])
        spatial = np.mean([found[pair].mean() for pair in ("xy", "xz", "yz")])
        assert (spatial, temporal) == pytest.approx((library.spatial, library.temporal), abs=1e-13)


def test_the_layout_names_what_is_there(gauge_file, tmp_path):
    pytest.importorskip("matplotlib")
    figure = lq.plot.layout(gauge_file)
    said = texts(figure)
    offset = lq.info(gauge_file).fields[0].offset
    assert {"gauge", "xlf-info", "ildg-format"} <= set(said) and any(text.endswith(f"from byte {offset}") for text in said)
    drawn(figure, tmp_path)


def test_many_records_have_one_row_for_each_name(tmp_path):
    pytest.importorskip("matplotlib")
    with lq.create(tmp_path / "a.lime") as file:
        for _ in range(30):
            file.write("spinor", np.ones((2, 2, 2, 2, 4, 3), complex))
    assert "30 x spinor" in texts(lq.plot.layout(tmp_path / "a.lime"))


def test_the_plaquette_of_each_slice_is_drawn(tmp_path, links, gauge_file):
    pytest.importorskip("matplotlib")
    figure = lq.plot.plaquette(links)
    spatial, temporal = (line.get_ydata() for line in figure.axes[0].lines[:2])
    found = lq.plot.plaquettes(links)
    assert np.allclose(spatial, np.mean([found[p].mean(axis=(1, 2, 3)) for p in ("xy", "xz", "yz")], axis=0))
    assert np.allclose(temporal, np.mean([found[p].mean(axis=(1, 2, 3)) for p in ("xt", "yt", "zt")], axis=0))
    assert f"average {lq.plaquette(links).average:.6f}" in texts(figure)
    assert texts(lq.plot.plaquette(gauge_file)) == texts(figure)
    drawn(figure, tmp_path)
    assert len(lq.plot.plaquette(random_links((3, 4, 2))).axes) == 2  # two dimensions: temporal ones alone


def test_damage_is_red_where_it_is(damaged, tmp_path):
    pytest.importorskip("matplotlib")
    figure = lq.plot.damage(damaged)
    colors = [bar.get_facecolor()[:3] for bar in figure.axes[1].patches]
    assert len(colors) == 8 and [t for t, color in enumerate(colors) if color != colors[0]] == [3]
    assert "damaged" in " ".join(texts(figure)) and any("zeros" in text for text in texts(figure))
    drawn(figure, tmp_path)


def test_a_sound_file_has_no_red(gauge_file):
    pytest.importorskip("matplotlib")
    figure = lq.plot.damage(gauge_file, physics=False)
    assert len({bar.get_facecolor() for bar in figure.axes[1].patches}) == 1 and "sound" in " ".join(texts(figure))


def test_texts_of_files_are_no_formulas_and_no_control_characters(tmp_path, links):
    pytest.importorskip("matplotlib")
    path = tmp_path / "a$x^$\x1b[31m.lime"
    with lq.create(path) as file:
        file.write("$\\frac{$", links)
    drawn(lq.plot.layout(path), tmp_path)
    drawn(lq.plot.damage(path), tmp_path)
    assert not any("\x1b" in text for text in texts(lq.plot.layout(path)))
