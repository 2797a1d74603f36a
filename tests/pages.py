"""The explorer's page in a real browser, as a reader uses it: with the mouse, with the keyboard, and by ear."""

from __future__ import annotations

import csv
import io
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from needed import package, tool
from waiting import PATIENCE, wait_until

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-3d-apis"),
]
MARGIN = 0.06  # of the picture around the map, as in camera.ts


@contextmanager
def chromium():
    """A browser without a window; the test is skipped where there is none."""
    sync_api = package("playwright.sync_api", "browser")
    program = tool("chromium", "chromium-browser", "google-chrome")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=ARGUMENTS)
        yield browser
        browser.close()


def complaints_of(page):
    """The list to which everything is added that this page complains of. It is patient from now on."""
    complaints = []
    page.set_default_timeout(1000 * PATIENCE)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


class Reader:
    """A reader of one page, who notes everything that should not happen."""

    def __init__(self, browser, path, *, link="", is_dark=False, size=(1200, 800)):
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if is_dark else "light",
            accept_downloads=True,
            reduced_motion="reduce",
        )
        self.page = self.context.new_page()
        self.complaints = complaints_of(self.page)
        self.page.on("request", self._note_request)
        self.path = Path(path)
        self.open(link)

    def open(self, link=""):
        """Open the page anew, with a link to a view."""
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + (f"#{link}" if link else ""))
        self.page.wait_for_selector("#featmap-app[data-ready] .map")

    def _note_request(self, request):
        if request.url.split("#")[0] not in (self.path.as_uri(), "about:blank") and not request.url.startswith(
            "blob:"
        ):
            self.complaints.append(f"requested {request.url[:100]}")

    def close(self):
        """Leave the page. Nothing may have been complained about."""
        self.context.close()
        assert self.complaints == []

    @property
    def link(self):
        """The part of the address after #, as a dict."""
        _, _, link = self.page.url.partition("#")
        return dict(entry.split("=", 1) for entry in link.split("&") if entry)

    def wait(self, condition, what):
        """Wait until something is so. The page's policy forbids scripts that playwright could wait with."""

        def named():
            return f"{what() if callable(what) else what} at the link {self.link}"

        wait_until(condition, named, lambda: self.page.wait_for_timeout(50))

    def later_link(self):
        """The link when all that was done before is in it: it follows late. The tab is another then."""
        self.page.get_by_role("tab", name="About").click()
        self.wait_for_link("tab", "about")
        return self.link

    def wait_for_link(self, key, value):
        self.wait(lambda: self.link.get(key) == value, f"{key}={value}")

    @property
    def spoken(self):
        """What a screen reader would say last."""
        return self.page.locator("#featmap-spoken").text_content()

    def hear(self, text):
        """Wait until this is said."""
        self.wait(lambda: text in self.spoken, lambda: f"hearing {text!r} instead of {self.spoken!r}")

    def place_of(self, embedding, place, *, map_number=0):
        """The pixel of a place on a map that is shown whole."""
        box = self.page.locator(".map").nth(map_number).bounding_box()
        low, high = embedding.min(axis=0), embedding.max(axis=0)
        room = np.array([box["width"], box["height"]])
        scale = ((1 - 2 * MARGIN) * room / (high - low)).min()
        x, y = (np.asarray(place, float) - (low + high) / 2) * scale
        return box["x"] + room[0] / 2 + x, box["y"] + room[1] / 2 - y

    def draw(self, corners):
        """Draw a line through pixels with the mouse, with Shift held."""
        mouse, keyboard = self.page.mouse, self.page.keyboard
        keyboard.down("Shift")
        mouse.move(*corners[0])
        mouse.down()
        for corner in corners[1:]:
            mouse.move(*corner, steps=4)
        mouse.up()
        keyboard.up("Shift")

    def tab_to(self, selector, *, key="Tab", most=150):
        """Press Tab until the keyboard is at an element."""
        for _ in range(most):
            self.page.keyboard.press(key)
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"Tab does not lead to {selector}")

    def open_menu(self):
        menu = self.page.locator("details.take")
        if menu.get_attribute("open") is None:
            menu.locator("> summary").click()
        return menu

    def saved(self, name):
        """The text of a file that the menu saves."""
        menu = self.open_menu()
        with self.page.expect_download() as download:
            menu.get_by_role("button", name=name, exact=True).click()
        return Path(download.value.path()).read_bytes()

    def saved_rows(self, region):
        """The saved numbers of the rows of a region."""
        return np.array(self.saved(f"Row numbers of {region}").decode().split(), int)

    def saved_table(self, name):
        """The lines of a saved table, as dicts."""
        return list(csv.DictReader(io.StringIO(self.saved(name).decode(), newline="")))

    def copied(self, name):
        """The text that the menu offers to copy."""
        self.open_menu().get_by_role("button", name=name, exact=True).click()
        text = self.page.locator("dialog textarea").input_value()
        self.page.locator("dialog").get_by_role("button", name="Close").click()
        return text


def numbers_of(table, column):
    """A column of a saved table, as numbers."""
    return np.array([float(line[column]) for line in table])
