"""How the kernels are compiled: once per installation, without the GIL and without the threads of numba."""

import logging
from typing import Any

from numba import njit
from numba.core import event

# Division by zero gives infinity, as in numpy: a check at every division would prevent vectorisation.
# Nothing calls the kernels from C, and wrappers for that take time to compile.
_options: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "no_cfunc_wrapper": True}
compiled = njit(**_options)

# Sums may be reordered, so that the compiler can use vector instructions. The order is fixed when the kernel is
# compiled, so a sum has the same bits each time. NaN and infinity keep their meaning.
compiled_sums = njit(**_options, fastmath={"reassoc", "contract", "nsz", "arcp"})

inlined = njit(**_options, inline="always")


class _CompilationNotice(event.Listener):
    """Logs once why the first fit takes longer. Kernels that are loaded from the cache cause no event."""

    def __init__(self):
        self.said = False

    def on_start(self, event):
        if not self.said and event.data["dispatcher"].py_func.__module__.startswith("featmap."):
            self.said = True
            logging.getLogger("featmap").warning(
                "compiling kernels for the first use of these settings after installation; the next starts at once"
            )

    def on_end(self, event):
        pass


event.register("numba:compile", _CompilationNotice())
