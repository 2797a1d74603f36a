"""A page of the explorer in a browser without a window: when it is drawn and ready, frames that move, clicks."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-3d-apis",
    "--no-first-run",
    "--disable-background-networking",
]
SIZE = {"width": 1400, "height": 900}
PATIENCE = 300_000  # milliseconds
TWO_FRAMES = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
N_MOVES = 60
N_CLICKS = 20
# Times are taken within the page, from the beginning of the navigation on. A frame is what draws points.
WATCH = """(() => {
  const times = (window.featmapTimes = { drawn: null, ready: null, frames: [], asked: 0, answered: 0 });
  const { requestAnimationFrame: request, CanvasRenderingContext2D: { prototype } } = window;
  const put = prototype.putImageData;
  let begun = 0;
  window.requestAnimationFrame = (draw) => request((time) => {
    begun = performance.now();
    draw(time);
  });
  prototype.putImageData = function (...given) {
    put.apply(this, given);
    if (!this.canvas.matches(".map > canvas")) return;
    times.drawn ??= performance.now();
    times.frames.push([begun, performance.now()]);
  };
  new MutationObserver(() => {
    if (document.querySelector("#featmap-app[data-ready]")) times.ready ??= performance.now();
    const sentence = document.querySelector(".panel .sentence")?.textContent ?? null;
    if (sentence !== times.sentence) times.answered = performance.now();
    times.sentence = sentence;
  }).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
  addEventListener("pointerup", () => (times.asked = performance.now()), true);
})()"""


@dataclass(frozen=True)
class Seen:
    """Milliseconds."""

    drawn: float
    ready: float
    frame: float  # that the page works for a frame while the map moves: the median
    between: float  # from one such frame to the next, on the screen
    click: float  # until its answer is on the page


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("there is no chromium: install it with a package manager")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


def look_at(browser: Any, url: str, n_clicks: int = N_CLICKS) -> Seen:
    """Open a page, move its map, and click points of it."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.add_init_script(WATCH)
    page.goto(url)
    page.wait_for_selector("#featmap-app[data-ready] .map")
    # A page that has nothing to wait for is ready before its first frame.
    _wait(page, lambda: page.evaluate("featmapTimes.drawn !== null"))
    times = page.evaluate("featmapTimes")
    frames = _frames(page)
    clicks = _clicks(page, n_clicks)
    context.close()
    work, between = np.diff(frames, axis=1), np.diff(frames[:, 0])
    return Seen(times["drawn"], times["ready"], *(float(np.median(each)) for each in (work, between, clicks)))


def _wait(page: Any, condition: Callable[[], bool]) -> None:
    """The page's policy forbids scripts that playwright could wait with."""
    end = time.monotonic() + PATIENCE / 1000
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing has happened on the page for {PATIENCE / 1000:.0f} s")
        page.wait_for_timeout(20)


def _middle(page: Any) -> tuple[float, float]:
    box = page.locator(".map").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _frames(page: Any) -> np.ndarray:
    """When frames begin and end while the map is dragged to and fro."""
    x, y = _middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y)
    page.evaluate("featmapTimes.frames.length = 0")
    for move in range(N_MOVES):
        page.mouse.move(x + 80 * np.sin(move / 5), y + 60 * np.cos(move / 7))
    frames = page.evaluate("featmapTimes.frames")
    page.mouse.up()
    page.keyboard.press("0")
    return np.array(frames)


def _clicks(page: Any, n_clicks: int) -> list[float]:
    """From the click until the sentence that answers it is there. Clicks beside all points are not answered."""
    box, draw = page.locator(".map").bounding_box(), np.random.default_rng(0)
    found: list[float] = []
    for _ in range(20 * n_clicks):
        before = page.evaluate("featmapTimes.sentence ?? null")
        x, y = draw.uniform(0.2, 0.8, 2)
        page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        page.evaluate(TWO_FRAMES)  # by then the panel says that it computes, if a point was hit
        _wait(page, lambda: page.locator(".panel .waiting").count() == 0)
        times = page.evaluate("featmapTimes")
        if times["sentence"] not in (before, None):
            found.append(times["answered"] - times["asked"])
        if len(found) == n_clicks:
            return found
    raise RuntimeError("hardly any click has hit a point")
