"""Random numbers as a hash of where they are used: no state, so no order of threads can change them."""

from numba import uint32, uint64

from .compilation import inlined


@inlined
def scrambled(counter, key, other_key):
    """32 well mixed bits of a counter under two keys (two rounds of multiply and xor-shift)."""
    x = uint32(counter + key)
    x = uint32(x ^ (x >> uint32(16)))
    x = uint32(x * uint32(0x7FEB352D))
    x = uint32(x ^ other_key)
    x = uint32(x ^ (x >> uint32(15)))
    x = uint32(x * uint32(0x846CA68B))
    return uint32(x ^ (x >> uint32(16)))


@inlined
def below(bits, limit):
    """A uniform integer in [0, limit) from 32 random bits, without the bias or cost of a remainder."""
    return uint32((uint64(bits) * uint64(limit)) >> uint64(32))
