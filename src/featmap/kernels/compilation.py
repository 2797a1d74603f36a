"""How the kernels are compiled: once per install, without the GIL, never with threads of numba's own."""

from numba import njit

compiled = njit(nogil=True, cache=True)

# Sums may be reordered, so that the compiler can use vector instructions. The order is fixed when the kernel is
# compiled: a sum has the same bits each time. NaN and infinity keep their meaning.
compiled_sums = njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz", "arcp"})

inlined = njit(nogil=True, cache=True, inline="always")
