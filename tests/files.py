"""What can happen to files: accidents, forgeries, full disks and killed writers."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import blake2b

import waiting
from featmap.store import container
from featmap.store.container import DIGEST_SIZE, PREAMBLE


def mutated(data, rng):
    """The bytes after an accident."""
    start, stop = sorted(int(place) for place in rng.integers(0, len(data), 2))
    middle = int(rng.integers(start, stop + 1))
    kind = rng.integers(6)
    if kind == 0:  # a bit
        return data[:start] + bytes([data[start] ^ (1 << int(rng.integers(8)))]) + data[start + 1 :]
    if kind == 1:  # cut off
        return data[:start]
    if kind == 2:  # swapped blocks
        return data[:start] + data[middle:stop] + data[start:middle] + data[stop:]
    if kind == 3:  # inserted bytes
        return data[:start] + rng.bytes(int(rng.integers(1, 100))) + data[start:]
    if kind == 4:  # lost bytes
        return data[:start] + data[stop:]
    return data[:start] + bytes(stop - start) + data[stop:]  # a block of zeros


def taken_apart(path):
    """The header of a file, and the bytes of its arrays."""
    data = path.read_bytes()
    *_, header_size = PREAMBLE.unpack_from(data)
    end = PREAMBLE.size + header_size
    return json.loads(data[PREAMBLE.size : end]), data[end + -end % 64 : -DIGEST_SIZE]


def put_together(header, body, *, version=container.FORMAT, header_size=None):
    """A file with any header and a right checksum."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    end = PREAMBLE.size + len(text)
    padding = bytes(-end % 64)
    size = end + len(padding) + len(body) + DIGEST_SIZE
    beginning = PREAMBLE.pack(container.MAGIC, version, 0, size, len(text) if header_size is None else header_size)
    data = beginning + text + padding + body
    return data + blake2b(data, digest_size=DIGEST_SIZE).digest()


def node_at(content, path):
    """A part of the tree, and the key or number of the last step to it."""
    *steps, last = path
    for step in steps:
        content = content[step]
    assert last in content if isinstance(content, dict) else last < len(content)
    return content, last


def rewritten(path, kind, change):
    """Write a file again, with a right checksum, after a change of its content and its list of arrays."""
    contents = container.read_file(path, kind, mapped=False)
    arrays = list(contents.arrays)
    change(contents.content, arrays)
    container.write_file(path, kind, container.Contents(contents.content, arrays))


def with_array(*path, made):
    """A change for `rewritten`: another array at some place of the tree, made from a copy of the one there."""

    def change(content, arrays):
        node, last = node_at(content, path)
        arrays.append(made(arrays[node[last]].copy()))
        node[last] = len(arrays) - 1

    return change


def with_entry(value, at=0):
    """For `with_array`: one entry of an array is changed."""

    def made(array):
        array.flat[at] = value
        return array

    return made


def fail(*arguments, **options):
    """A system call on a full disk."""
    raise OSError(28, "No space left on device")


def wait_for_writes(path, n, child):
    """Until a file has been replaced n times (or more: some may be missed), or its writer is done."""
    seen = set()

    def written():
        with suppress(FileNotFoundError):
            seen.add(path.stat().st_mtime_ns)
        return len(seen) > n

    wait_until(written, child)


def wait_until(condition, child):
    """Until a condition holds, or a child is done."""
    how = os.WEXITED | os.WNOHANG | os.WNOWAIT
    waiting.wait_until(lambda: condition() or os.waitid(os.P_PID, child, how) is not None, "a file", lambda: None)
