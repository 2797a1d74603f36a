"""How the kernels are compiled: once per installation, without the GIL and without the threads of numba."""

import gc
import logging
from typing import Any

from numba import njit
from numba.core import event
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager

# Steps of numba that look for what kernels do not have: expressions of whole arrays, functions within functions, and
# branches that a type decides.
_NOT_NEEDED = {"nopython_rewrites", "inline_closure_likes", "dead_branch_prune"}


class _Compiler(Compiler):
    """Numba's own steps, without those that kernels do not need."""

    def define_pipelines(self):
        (usual,) = super().define_pipelines()
        shorter = PassManager(usual.pipeline_name)
        for step, description in usual.passes:
            if step.name() not in _NOT_NEEDED:
                shorter.add_pass(step, description)
        shorter.finalize()
        return [shorter]


# Division by zero gives infinity, as in numpy: a check at every division would prevent vectorisation.
# Nothing calls the kernels from C, and wrappers for that take time to compile.
_options: dict[str, Any] = {
    "nogil": True,
    "cache": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "pipeline_class": _Compiler,
}
compiled = njit(**_options)

# Sums may be reordered, so that the compiler can use vector instructions. The order is fixed when the kernel is
# compiled, so a sum has the same bits each time. NaN and infinity keep their meaning.
compiled_sums = njit(**_options, fastmath={"reassoc", "contract", "nsz", "arcp"})

# Parts that only kernels call are compiled with them: they are not stored, and nobody else can call them. Unlike
# inlined ones they are compiled once for all their callers.
_part_options: dict[str, Any] = {**_options, "cache": False, "no_cpython_wrapper": True}
part = njit(**_part_options)
part_sums = njit(**_part_options, fastmath={"reassoc", "contract", "nsz", "arcp"})

inlined = njit(**_options, inline="always")


class _Compilation(event.Listener):
    """Accompanies the compilation of our kernels, one at a time. Those that are loaded from the cache cause no event.

    Logs once why the first fit takes longer. Pauses the search for reference cycles: it would go through the many
    objects of the compiler again and again, for a seventh of the time.
    """

    def __init__(self):
        self.said = False
        self.n_open = 0  # a kernel and the parts that are compiled within it
        self.collects = False

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__  # None for functions that a library made from text
        if self.n_open or (module is not None and module.startswith("featmap.")):
            self.n_open += 1
            if self.n_open == 1:
                self.say()
                self.collects = gc.isenabled()
                gc.disable()

    def on_end(self, event):
        if self.n_open:
            self.n_open -= 1
            if self.n_open == 0 and self.collects:
                gc.enable()

    def say(self):
        if not self.said:
            self.said = True
            logging.getLogger("featmap").warning(
                "compiling kernels for the first use of these settings after installation; the next starts at once"
            )


event.register("numba:compile", _Compilation())
