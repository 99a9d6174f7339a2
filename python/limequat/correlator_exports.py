# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""Correlators of a store as objects of pandas, xarray and pyerrors, if these are installed."""

import os
import re
import tempfile

import numpy as np

from limequat._library import path_bytes
from limequat.correlator_labels import described, shown
from limequat.errors import Error, Exists, InvalidArgument
from limequat.needs import needed
from limequat.publishing import keep_private, kind_of, publish, require_no_data, sync_folder


def to_pandas(selection):
    """See :meth:`limequat.correlators.Selection.to_pandas`."""
    pandas = needed("pandas", "to_pandas()")
    names = _label_names(selection)
    frames = []
    for configuration, series, values in selection:
        if values is None:
            continue
        axes = _axis_names(series)
        taken = {"configuration", "name", "value"} | set(names)
        columns = {"configuration": _column(configuration, values.size), "name": _column(series.name, values.size)}
        for name in names:
            columns[_free(name, {"configuration", "name", "value"})] = _column(series.labels.get(name), values.size)
        for axis, index in zip(axes, np.indices(values.shape)):
            coordinates = series.axes.get(axis)
            index = index.ravel()
            columns[_free(axis, taken)] = index if coordinates is None else np.array(coordinates)[index]
        columns["value"] = values.ravel()
        frames.append(pandas.DataFrame(columns))
    if not frames:
        return pandas.DataFrame(columns=["configuration", "name", *names, "value"])
    return pandas.concat(frames, ignore_index=True)


def to_xarray(selection, fill):
    """See :meth:`limequat.correlators.Selection.to_xarray`."""
    xarray = needed("xarray", "to_xarray()")
    values = selection.array(fill=fill)
    series = selection.correlators
    if any(s.axes != series[0].axes for s in series):
        raise InvalidArgument("the selected correlators have different axes; select those with the same axes")
    axes = _axis_names(series[0])
    dimensions = ["configuration", "correlator"]
    dimensions += [_free(axis, {"configuration", "correlator", "name"}) for axis in axes]
    coordinates = {"configuration": _objects(selection.configurations), "name": ("correlator", _objects([s.name for s in series]))}
    for axis, dimension in zip(axes, dimensions[2:]):
        if series[0].axes.get(axis) is not None:
            coordinates[dimension] = list(series[0].axes[axis])
    for name in _label_names(selection):
        labels = _objects([s.labels.get(name) for s in series])
        coordinates[_free(name, {*dimensions, "name"})] = ("correlator", labels)
    return xarray.DataArray(values, coordinates, dimensions)


def to_pyerrors(selection, ensemble):
    """See :meth:`limequat.correlators.Selection.to_pyerrors`."""
    pyerrors = needed("pyerrors", "to_pyerrors()")
    wrong = [c for c in selection.configurations if isinstance(c, bool) or not isinstance(c, int)]
    if wrong:
        raise InvalidArgument(f"configuration {shown(wrong[0])} is not an integer, which pyerrors needs", found=shown(wrong[0]))
    found = []
    samples = {series.number: {} for series in selection.correlators}
    for configuration, series, values in selection:
        if values is not None:
            samples[series.number][configuration] = values
    for series in selection.correlators:
        by_number = sorted(samples[series.number].items())  # pyerrors expects them in ascending order
        if len(by_number) < 5:
            raise InvalidArgument(f"{described(series.name, series.labels)} is on {len(by_number)} of the selected configurations; pyerrors "
                                  "needs 5", found=str(len(by_number)))
        found.append(_observables(pyerrors, ensemble, [n for n, _ in by_number], np.stack([v for _, v in by_number])))
    return found


def write_pyerrors(selection, path, ensemble, overwrite):
    """See :meth:`limequat.correlators.Selection.write_pyerrors`."""
    path = os.fsdecode(path_bytes(path))
    _, kind, zipped = re.fullmatch(r"(.*?)(?:\.(json|xml)(\.gz)?)?", path, re.DOTALL).groups()
    if kind is None or (kind == "xml" and not zipped):  # pyerrors cannot read dobs that are not compressed
        raise InvalidArgument(f"{path}: expected NAME.json or NAME.json.gz (pyerrors' JSON), or NAME.xml.gz (dobs)", path=path)
    if os.path.lexists(path) and not overwrite:
        raise Exists(f"{path}: exists already; overwrite=True replaces it", path=path)
    require_no_data(path)
    pyerrors, series = needed("pyerrors", "write_pyerrors()"), selection.correlators
    arrays, about = [], []
    for one, array in zip(series, to_pyerrors(selection, ensemble)):
        is_complex = one.dtype.kind == "c"
        for part in ("real", "imag") if is_complex else (None,):
            arrays.append(_part(array, part))
            about.append({"name": one.name, "labels": one.labels, **({"part": part} if part else {})})
    try:
        with tempfile.TemporaryDirectory(prefix=".lq", dir=os.path.dirname(path) or ".") as folder:
            temporary = os.path.join(folder, "new")
            if kind == "json":
                pyerrors.input.json.dump_to_json(arrays, temporary, description={"ensemble": ensemble, "correlators": about}, gz=bool(zipped))
            else:
                symbols = [f"{n}.{k}" for n, array in enumerate(arrays) for k in range(array.size)]
                pyerrors.input.dobs.write_dobs([o for array in arrays for o in array.ravel()], temporary, "correlators", symbol=symbols,
                                               gz=bool(zipped))
            made = os.path.join(folder, os.listdir(folder)[0])
            keep_private(made, [selection._store.path])
            with open(made, "rb") as file:
                os.fsync(file.fileno())
            publish(made, path, overwrite, "a text")
            sync_folder(os.path.dirname(path))
    except OSError as error:
        if isinstance(error, Error):
            raise
        raise kind_of(error)(f"{path}: cannot be written: {error.strerror}", path=path, errno=error.errno) from None


def _part(array, part):
    """Real observables of an array of them."""
    if part is None:
        return array
    found = np.empty(array.shape, object)
    for at in np.ndindex(array.shape):
        found[at] = getattr(array[at], part)
    return found


def _observables(pyerrors, ensemble, numbers, values):
    """An object array of observables of the samples [configuration, ...]."""
    array = np.empty(values.shape[1:], object)
    for at in np.ndindex(array.shape):
        sample = values[(slice(None), *at)]
        parts = [pyerrors.Obs([np.ascontiguousarray(part, np.float64)], [ensemble], idl=[numbers])
                 for part in ((sample.real, sample.imag) if np.iscomplexobj(sample) else (sample,))]
        array[at] = parts[0] if len(parts) == 1 else pyerrors.CObs(*parts)
    return array


def _label_names(selection):
    """All labels of the selected correlators, in the order in which they come."""
    return list(dict.fromkeys(label for series in selection.correlators for label in series.labels))


def _axis_names(series):
    return list(series.axes) if series.axes else ["t"] if len(series.shape) == 1 else [f"axis_{d}" for d in range(len(series.shape))]


def _free(name, taken):
    """A name for a column that no other one has."""
    while name in taken:
        name += "_"
    return name


def _objects(values):
    """Labels as a column: numbers or texts where all are, otherwise objects; tuples stay tuples."""
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        return np.array(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _column(value, count):
    """The same value for each number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return np.full(count, value)
    column = np.empty(count, object)
    column[:] = [value] * count
    return column
