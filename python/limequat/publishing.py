# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""New files that the package itself writes: how they get their names, and errors of the system."""

import contextlib
import errno
import os
import secrets
import stat

from limequat._library import call
from limequat.errors import Error, Exists, InvalidArgument, IoError, NoPermission, NoSpace, NotFound

_BY_ERRNO = {errno.ENOENT: NotFound, errno.EEXIST: Exists, errno.EACCES: NoPermission, errno.EPERM: NoPermission,
             errno.EROFS: NoPermission, errno.ENOSPC: NoSpace, errno.EDQUOT: NoSpace, errno.EFBIG: NoSpace}
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS)


def kind_of(error):
    """The exception of the package for an OSError."""
    return _BY_ERRNO.get(error.errno, IoError)


def temporary_name(name):
    """A hidden name in the same folder, of at most 255 bytes; a path of bytes or a text."""
    folder, base = os.path.split(name)
    if isinstance(base, bytes):
        return os.path.join(folder, b"." + base[:240] + b"." + secrets.token_hex(4).encode("ascii"))
    return os.path.join(folder, f".{os.fsencode(base)[:240].decode('utf-8', 'ignore')}.{secrets.token_hex(4)}")


def keep_private(path, likes):
    """Takes from others the rights to a file or folder that they do not have to all of the files it is made of."""
    made = os.stat(path)
    now = kept = stat.S_IMODE(made.st_mode)
    for like in likes:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            old = os.stat(like)
            rights = old.st_mode & 0o077
            if made.st_gid != old.st_gid or _has_list(like):  # another group is among the others; a list's mask is not the group's
                rights = (rights & 0o007) | (rights & 0o007) << 3
            if stat.S_ISDIR(made.st_mode):
                rights |= (rights & 0o044) >> 2  # who may read a folder may enter it
            kept &= 0o7700 | rights
    if kept != now:
        os.chmod(path, kept)


def _has_list(path):
    try:
        return bool(os.getxattr(path, "system.posix_acl_access"))
    except (AttributeError, OSError):  # not on Linux; no list
        return False


def take_access(temporary, name):
    """Gives a file that is to replace another one its group and mode; without the group, its members lose their access."""
    old = os.stat(name)
    mode = stat.S_IMODE(old.st_mode) & 0o777
    try:
        if os.stat(temporary).st_gid != old.st_gid:
            os.chown(temporary, -1, old.st_gid)
    except OSError:
        mode &= 0o707
    os.chmod(temporary, mode)


def require_regular(name):
    """Refuses what must never be replaced by a file: devices, pipes, folders, and links without a target; InvalidArgument."""
    if os.path.isfile(name) or not os.path.lexists(name):
        return
    if not os.path.exists(name):
        raise InvalidArgument(f"{name}: cannot write a file here: this symbolic link has no target; remove it, or write to the file it "
                              "refers to", path=name)
    what = "a directory" if os.path.isdir(name) else "not a regular file (a pipe, socket or device)"
    raise InvalidArgument(f"{name}: cannot replace this: it is {what}; choose another name", path=name)


def require_no_data(name, made="a text"):
    """Refuses a file with data, such as a lattice file in whatever state or a catalogue, which texts must never replace, and what is
    neither a file nor a folder; InvalidArgument."""
    if not os.path.isdir(name):
        require_regular(name)
    call("lq_require_replaceable", os.fsencode(name), made.encode())


def give_name(temporary, name):
    """Gives a complete file a name that no file has; FileExistsError. Its temporary name may stay; the caller removes it."""
    try:
        os.link(temporary, name)  # fails if there is one, unlike a rename
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(temporary, name)


def publish(temporary, name, overwrite, made=None):
    """Gives a complete file its name, replacing another file only with ``overwrite``, whose rights it takes over; otherwise Exists,
    and the file is removed. What is ``made`` of other files ("a text") replaces no file with data."""
    if overwrite:
        require_regular(name)
        if made:
            require_no_data(name, made)
        if os.path.exists(name):
            take_access(temporary, name)
        os.replace(temporary, name)
        return
    try:
        give_name(temporary, name)
    except FileExistsError:
        raise Exists(f"{name}: another program gave this name to a file in the meantime, which stays; choose another name, or replace "
                     "it with overwrite=True", path=name) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def sync_folder(folder):
    """Makes names in a folder survive a power failure, if the file system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or os.curdir, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class NewFiles:
    """Files that get their names when the block ends without an exception, in the order in which they were written.

    Without ``overwrite`` a name that another program has given in the meantime is not replaced: Exists, and none of these files
    remains. Nobody may read them who may not read all files in ``likes``, or the file that is replaced. ``stale`` files are
    removed before."""

    def __init__(self, overwrite, likes=(), stale=()):
        self.overwrite, self.likes, self.stale, self.written = overwrite, likes, stale, []

    def __enter__(self):
        return self

    def write(self, name, parts):
        if self.overwrite:
            require_no_data(name)
        temporary = temporary_name(name)
        with told(name):
            with open(temporary, "xb") as file:
                self.written.append((temporary, name))
                keep_private(temporary, [*self.likes, name])
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())

    def __exit__(self, kind, *exception):
        try:
            if kind is None:
                self._publish()
        finally:
            for temporary, _ in self.written:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    def _publish(self):
        given = []
        try:
            for name in self.stale:
                with told(name), contextlib.suppress(FileNotFoundError):
                    os.unlink(name)
            for temporary, name in self.written:
                with told(name):
                    identity = os.stat(temporary).st_ino
                    publish(temporary, name, self.overwrite, "a text")
                given.append((name, identity))
        except BaseException:
            for name, identity in () if self.overwrite else given:
                with contextlib.suppress(OSError):
                    if os.stat(name).st_ino == identity:
                        os.unlink(name)
            raise


@contextlib.contextmanager
def told(name):
    """Translates errors of the system in the block to those of the package, which name the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, Error):
            raise
        raise kind_of(error)(f"{name}: cannot be written: {os.strerror(error.errno or 0)}", path=name, errno=error.errno) from None
