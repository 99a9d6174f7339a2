# Copyright (c) 2026 The Limequat authors
# SPDX-License-Identifier: BSD-3-Clause
"""A server of HTTP on this machine that gives parts of files, counts what it does, and misbehaves on request."""

import base64
import contextlib
import http.server
import re
import threading
import time


class Served:
    """One file: its bytes, and how the server treats it."""

    def __init__(self, data):
        self.data, self.etag, self.date = bytes(data), '"first"', None
        self.requests, self.sent, self.log = 0, 0, []
        self.ignores_ranges = False     # answers with all of it
        self.shift = 0                  # sends other bytes than it was asked for, and says so
        self.cut_after = None           # breaks the connection after so many bytes of an answer
        self.cuts = 0                   # how often that is still to be done
        self.fails = 0                  # answers 503 so often
        self.pause = 0                  # seconds after each 64 KiB
        self.password = None            # "user:password"
        self.redirect = None            # a path or URL
        self.headers = {}               # more of them
        self.whole_headers = None       # more of them where only headers are asked for, which is else not known
        self.raw = None                 # gives the bytes of an answer, of (first, last, data)
        self.before = lambda number: None  # called with the number of each request


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        file = self.server.files.get(self.path.split("?")[0])
        if file is None:
            return self._say(404)
        file.requests += 1
        file.before(file.requests)
        file.log.append((self.path, dict(self.headers)))
        if file.redirect is not None:
            return self._say(302, Location=file.redirect)
        if file.password and self.headers.get("Authorization") != "Basic " + base64.b64encode(file.password.encode()).decode():
            return self._say(401)
        if file.fails > 0:
            file.fails -= 1
            return self._say(503)
        wanted = self.headers.get("If-Match")
        if wanted and file.etag and wanted != file.etag:
            return self._say(412)
        size = len(file.data)
        if file.raw is not None:
            return self._raw(file, *map(int, re.findall(r"\d+", self.headers.get("Range", "0-0"))))
        found = re.match(r"bytes=(\d+)-(\d+)$", self.headers.get("Range", ""))
        if found is None or file.ignores_ranges:
            return self._body(file, 200, file.data)
        first, last = int(found[1]), min(int(found[2]), size - 1)
        if first >= size:
            return self._say(416, **{"Content-Range": f"bytes */{size}"})
        first, last = first + file.shift, last + file.shift
        data = file.data[first:last + 1]
        return self._body(file, 206, data, **{"Content-Range": f"bytes {first}-{last}/{size}"})

    def do_HEAD(self):
        file = self.server.files.get(self.path.split("?")[0])
        if file is None or file.whole_headers is None:
            return self._say(501)
        file.requests += 1
        self._headers(200, len(file.data), {"ETag": file.etag, **file.headers, **file.whole_headers})

    def _raw(self, file, first, last):
        self.close_connection = True
        with contextlib.suppress(OSError):
            for piece in file.raw(first, min(last, len(file.data) - 1), file.data):
                self.wfile.write(piece)

    def _headers(self, status, length, headers):
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            if value is not None:
                self.send_header(name, value)
        self.end_headers()

    def _say(self, status, **headers):
        self._headers(status, 0, headers)

    def _body(self, file, status, data, **headers):
        self._headers(status, len(data), {"ETag": file.etag, "Last-Modified": file.date, **file.headers, **headers})
        if file.cut_after is not None and file.cuts > 0 and len(data) > file.cut_after:
            file.cuts -= 1
            data = data[:file.cut_after]
            self.close_connection = True
        with contextlib.suppress(OSError):  # whoever asked has heard enough
            for begin in range(0, len(data), 65536):
                piece = data[begin:begin + 65536]
                self.wfile.write(piece)
                file.sent += len(piece)
                time.sleep(file.pause)


@contextlib.contextmanager
def serving(**files):
    """A server of files by name; gives (its address, {name: Served})."""
    served = {name: Served(data) for name, data in files.items()}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.files = {"/" + name.replace("__", "."): file for name, file in served.items()}
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
