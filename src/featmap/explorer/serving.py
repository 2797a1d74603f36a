"""A map explored in a browser, with answers from this Python."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from ..docstrings import PAGE_PARAMETERS, shared_parameters
from ..errors import MissingExtraError

if TYPE_CHECKING:
    from os import PathLike

    from ..estimator import FeatMAP
    from ..explanation import Explanation

OPENING = "The map of {n_rows:,} rows is being opened."
OPENED = "It is at {url}\nCtrl-C ends it."


@shared_parameters(PAGE_PARAMETERS)
def serve(
    model: FeatMAP | Explanation | str | PathLike[str],
    *,
    labels: ArrayLike | None = None,
    columns: Any = None,
    ids: ArrayLike | None = None,
    image_shape: tuple[int, ...] | None = None,
    maps: Mapping[str, ArrayLike] | None = None,
    title: str | None = None,
    port: int = 0,
    open_browser: bool = True,
) -> None:
    """Explore a map in a browser until Ctrl-C, with answers from this Python.

    The page is that of `FeatMAP.to_html`, for data of any size: they stay where they are, and a saved model is read
    from its file as far as answers need it. The server can be reached from this machine only, and only with the link
    that is printed.

    Parameters
    ----------
    model : FeatMAP, Explanation, str or path
        A fitted model, the explanation of a map, or the file of a saved model.
    {labels, columns, ids, image_shape, maps, title}
    port : int, default=0
        The port of the server; 0 for one that is free.
    open_browser : bool, default=True
        Whether to open the page. The link is printed anyway.

    Examples
    --------
    >>> import featmap
    >>> featmap.explorer.serve("mnist.featmap", image_shape=(28, 28))  # doctest: +SKIP
    """
    try:
        from .server import LocalServer
    except ImportError as error:
        raise MissingExtraError("serve needs starlette and uvicorn: pip install 'featmap[explore]'") from error

    from .desk import desk_of

    loaded = _loaded(model)
    print(OPENING.format(n_rows=len(loaded.embedding_)), flush=True)
    said: dict[str, Any] = {
        "labels": labels,
        "columns": columns,
        "ids": ids,
        "image_shape": image_shape,
        "maps": maps,
    }
    # Ctrl-C is the usual end from the moment on at which the link can be read.
    with LocalServer(desk_of(loaded, "serve", title=title, **said), port) as server, suppress(KeyboardInterrupt):
        print(OPENED.format(url=server.url), flush=True)
        if open_browser:
            webbrowser.open(server.url)
        server.wait()


def _loaded(model: Any) -> Any:
    from ..explanation.mixin import ExplanationMixin

    if isinstance(model, ExplanationMixin):
        return model

    from ..estimator import FeatMAP

    return FeatMAP.load(model)
