"""A server for published files on this machine, and files in the formats of the data sets."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from featmap.datasets.loading import SOURCES, Source


class FileServer:
    """Serve files from memory, and make the table of sources point to them."""

    def __init__(self, monkeypatch):
        self.files, self.requested, self.cut_short = {}, [], set()
        self.monkeypatch = monkeypatch
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requested.append(self.path)
                content = outer.files.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if self.path in outer.cut_short else content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def publish(self, data_set, file, content, checksum=None):
        """Serve a file of a data set, with its own checksum unless another is given; return its path."""
        path = f"/{data_set}/{file}"
        self.files[path] = content
        checksum = checksum or f"sha256:{hashlib.sha256(content).hexdigest()}"
        address = f"http://127.0.0.1:{self.server.server_port}/{data_set}/"
        source = Source(address, {**SOURCES[data_set].checksums, file: checksum})
        self.monkeypatch.setitem(SOURCES, data_set, source)
        return path

    def close(self):
        if self.thread.is_alive():
            self.server.shutdown()
            self.server.server_close()
            self.thread.join()


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return gzip.compress(header + array.astype(np.uint8).tobytes())


def publish_mnist(server, data_set, rng, n_train=4, n_test=3):
    """Publish random images and labels, and return them by part."""
    made = {}
    for part, file, n_rows in (("train", "train", n_train), ("test", "t10k", n_test)):
        images, labels = rng.integers(256, size=(n_rows, 28, 28)), rng.integers(10, size=n_rows)
        server.publish(data_set, f"{file}-images-idx3-ubyte.gz", idx(images))
        server.publish(data_set, f"{file}-labels-idx1-ubyte.gz", idx(labels))
        made[part] = images, labels
    return made


def tar_gz(members):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return content.getvalue()


def zipped(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def encoded(image, kind="PNG"):
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(image).save(content, format=kind)
    return content.getvalue()
