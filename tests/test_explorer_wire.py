"""Questions and answers as bytes. `web/test/wire.test.ts` holds the page's side to the same bytes."""

from __future__ import annotations

import json
import math
import struct
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featmap.explorer.wire import TYPES, WireError, packed, unpacked

# The bytes of `SAME`, which both sides write and read.
SAME = {"kind": "abc", "rows": np.array([1, -2], np.int32), "x": math.nan, "y": [None, np.array([0.5])]}
BYTES = bytes.fromhex(
    "760000007b2276616c7565223a7b226b696e64223a22616263222c22726f7773223a7b226172726179223a307d2c2278223a7b226e756d62"
    "6572223a224e614e227d2c2279223a5b6e756c6c2c7b226172726179223a317d5d7d2c22617272617973223a5b5b22693332222c325d2c5b"
    "22663634222c315d5d7d00000000000001000000feffffff000000000000e03f"
)


def equal(one, other):
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
        return one.dtype == other.dtype
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other or (one != one and other != other)


def test_the_bytes_are_those_of_the_page():
    assert packed(SAME).hex() == BYTES.hex()
    assert equal(unpacked(BYTES), SAME)


arrays = st.builds(
    lambda name, values: np.array(values).astype(TYPES[name]),
    st.sampled_from(list(TYPES)),
    st.lists(st.integers(0, 100), max_size=9),
)
names = st.text(max_size=5).filter(lambda name: name not in ("array", "number"))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats() | st.text(max_size=9) | arrays,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=9,
)
ALWAYS_THE_SAME = settings(derandomize=True, deadline=None, database=None)


@ALWAYS_THE_SAME
@given(values)
def test_what_is_packed_is_unpacked(value):
    assert equal(unpacked(packed(value)), value)


@ALWAYS_THE_SAME
@given(st.binary(max_size=200))
def test_any_bytes_are_a_question_or_refused(content):
    with suppress(WireError):
        unpacked(content)


@ALWAYS_THE_SAME
@given(st.integers(0, len(BYTES) - 1), st.integers(0, 255))
def test_a_changed_byte_does_no_harm(place, byte):
    changed = bytearray(BYTES)
    changed[place] = byte
    with suppress(WireError):
        unpacked(bytes(changed))


def with_head(head, content=b""):
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    return struct.pack("<I", len(text)) + text + content


@pytest.mark.parametrize(
    "content",
    [
        with_head({"value": {"array": 0}, "arrays": [["i32", -1]]}),
        with_head({"value": {"array": 0}, "arrays": [["i32", 2**62]]}),
        with_head({"value": {"array": 0}, "arrays": [["i32", True]]}, bytes(99)),
        with_head({"value": {"array": 0}, "arrays": [["object", 1]]}, bytes(99)),
        with_head({"value": {"array": 1}, "arrays": []}),
        with_head({"value": {"array": -1}, "arrays": [["u8", 0]]}),
        with_head({"value": {"number": "1e3"}, "arrays": []}),
        with_head({"value": 1, "arrays": 5}),
        with_head(b'{"value": NaN, "arrays": []}'),
        with_head(b'{"value": 1' + b"0" * 5000 + b', "arrays": []}'),
        with_head(b"\xff\xfe"),
    ],
)
def test_heads_that_lie_are_refused(content):
    with pytest.raises(WireError):
        unpacked(content)
