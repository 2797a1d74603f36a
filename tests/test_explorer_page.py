"""The explorer's page under real hands: clicks, drawn lines, keys, files. Numbers are compared, not pixels."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from featmap import FeatMAP, explain
from featmap.datasets import load_penguins
from hostile import HOSTILE, in_utf8
from needed import absent
from pages import Reader, numbers_of

ROOT = Path(__file__).parent.parent
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def penguins():
    found = load_penguins()
    data = pd.DataFrame(StandardScaler().fit_transform(found.data), columns=found.feature_names)
    species = pd.Series(np.array(found.target_names)[found.target], name="species")
    return data, {"species": species, "island": found.island, "year": found.year}


@pytest.fixture(scope="module")
def penguins_model(penguins):
    return FeatMAP(n_epochs=100, random_state=0).fit(penguins[0])


@pytest.fixture(scope="module")
def penguins_page(penguins, penguins_model, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "penguins.html"
    data, columns = penguins
    others = {name: values for name, values in columns.items() if name != "species"}
    maps = {"PCA": PCA(2).fit_transform(data)}
    penguins_model.to_html(path, labels=columns["species"], columns=others, maps=maps, title="Penguins")
    return path


@pytest.fixture(scope="module")
def digits_page(model, labels, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "digits.html"
    model.to_html(path, labels=labels, image_shape=(8, 8), title="Digits")
    return path


@pytest.fixture
def reading(browser):
    """Opens pages, and checks at the end that none complained or asked for anything."""
    readers = []

    def read(path, **options):
        readers.append(Reader(browser, path, **options))
        return readers[-1]

    yield read
    for reader in readers:
        reader.close()


def nearest_row(embedding, place):
    return int(np.linalg.norm(embedding - place, axis=1).argmin())


def test_the_first_view_says_what_to_do_and_stays_at_a_click_beside_all_points(reading, penguins_page):
    reader = reading(penguins_page)
    page = reader.page
    assert "Click a point to ask why it is there" in page.locator(".hint").text_content()
    assert sorted(page.locator(".overlay .name.group").all_text_contents()) == ["Adelie", "Chinstrap", "Gentoo"]
    assert page.title() == "Penguins"
    box = page.locator(".map").bounding_box()
    page.mouse.click(box["x"] + 3, box["y"] + 3)  # beside all points
    assert "row" not in reader.later_link()
    page.get_by_role("tab", name="Point").click()
    assert "Why is this point here?" in page.locator(".panel").text_content()


def test_a_click_pins_the_row_under_it_and_says_why(reading, penguins_page, penguins_model):
    reader, embedding = reading(penguins_page), penguins_model.embedding_
    for row in (0, 200, 341):
        reader.page.mouse.click(*reader.place_of(embedding, embedding[row]))
        pinned = nearest_row(embedding, embedding[row])
        reader.wait_for_link("row", str(pinned))
        check_answer(reader, penguins_model.why(pinned))


def features_under(reader, heading):
    """The features that a list of the panel names."""
    return reader.page.locator("section").filter(has_text=heading).locator("tbody th").all_text_contents()


def check_answer(reader, why):
    """The page says of a row what the library says, in words, tables and arrows."""
    reader.hear(why.sentence)
    assert reader.page.locator(".panel .sentence").text_content() == why.sentence
    assert features_under(reader, "sets this neighbourhood apart") == [line.feature for line in why.apart]
    assert features_under(reader, "What changes across it") == [line.feature for line in why.changes]
    arrows = reader.page.locator(".overlay .arrow:not(.name)").all()
    found = [float(arrow.get_attribute("opacity")) for arrow in arrows]
    explained = np.array([change.explained for change in why.changes])
    np.testing.assert_allclose(found, 0.25 + 0.75 * np.clip(explained / 0.5, 0, 1), atol=1e-6)  # fade by their own R²


def test_a_row_unlike_its_neighbours_has_a_list_of_its_own(reading, penguins, tmp_path):
    rows = penguins[0].copy()
    rows.iloc[200, 0] += 8 * rows.iloc[:, 0].std()
    model = FeatMAP(n_epochs=60, random_state=0).fit(rows)
    model.to_html(tmp_path / "page.html")
    why = model.why(200)
    assert [line.feature for line in why.unlike] == [rows.columns[0]]
    reader = reading(tmp_path / "page.html", link="row=200")
    reader.hear("the row itself is unlike them")
    assert reader.page.locator(".panel .sentence").text_content() == why.sentence
    own = reader.page.locator("section").filter(has_text="sets the row itself apart from them").locator("tbody tr")
    assert own.count() == 1
    assert rows.columns[0] in own.text_content()
    assert f"+{why.unlike[0].away:.1f}" in own.text_content()
    table = reader.saved_table("This point, all features (CSV)")
    assert [line["feature"] for line in table if "unlike" in line["question"]] == [rows.columns[0]]


def test_only_the_panel_scrolls_when_an_answer_is_long(reading, penguins_page):
    reader = reading(penguins_page, link="row=0")
    reader.hear("Row 0 lies")
    heights = "element => [element.scrollHeight, element.clientHeight]"
    whole, seen = reader.page.locator(".panel").evaluate(heights)
    assert whole > seen
    whole, seen = reader.page.locator("html").evaluate(heights)
    assert whole == seen


def drawn_line(reader, embedding, rows):
    """Pixels of a line around some rows, crooked so that the rule for corners matters."""
    low, high = embedding[rows].min(axis=0), embedding[rows].max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    angles = np.linspace(0, 2 * np.pi, 15)[:-1]
    reach = 0.9 + 0.35 * np.cos(5 * angles)
    corners = middle + half * reach[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return [reader.place_of(embedding, corner) for corner in corners]


def corners_of_region(reader):
    reader.wait(lambda: "a" in reader.link, "region A")
    return np.array(reader.link["a"].split(":")[2].split(","), float).reshape(-1, 2)


def test_a_drawn_line_holds_the_rows_that_matplotlib_finds(reading, penguins_page, penguins_model, penguins):
    from matplotlib.path import Path as Line

    reader, embedding = reading(penguins_page), penguins_model.embedding_
    species = penguins[1]["species"].to_numpy()
    reader.draw(drawn_line(reader, embedding, species == "Adelie"))
    expected = np.flatnonzero(Line(corners_of_region(reader)).contains_points(embedding))
    assert 20 < len(expected) < 151
    np.testing.assert_array_equal(reader.saved_rows("A"), expected)
    assert f"{len(expected)} rows" in reader.page.locator(".chooser").first.text_content()


def test_the_line_is_where_the_mouse_was(reading, penguins_page, penguins_model):
    reader, embedding = reading(penguins_page), penguins_model.embedding_
    corners = embedding.mean(axis=0) + np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    reader.draw([reader.place_of(embedding, corner) for corner in corners])
    found = corners_of_region(reader)
    np.testing.assert_allclose(found.min(axis=0), corners.min(axis=0), atol=0.05)
    np.testing.assert_allclose(found.max(axis=0), corners.max(axis=0), atol=0.05)


def test_two_labels_are_compared_with_the_librarys_numbers(reading, penguins_page, penguins_model, penguins):
    reader = reading(penguins_page, link="tab=region&a=category:0:0&b=category:0:1")
    reader.hear("differs most")
    found = penguins_model.contrast("Adelie", "Chinstrap", labels=penguins[1]["species"])
    table = reader.saved_table("A against B, all features (CSV)")
    columns = [int(line["column"]) for line in table]
    assert [line["feature"] for line in table] == list(found.features[columns])
    assert (np.diff(np.abs(numbers_of(table, "effect_size"))) <= 0).all()
    np.testing.assert_allclose(numbers_of(table, "difference"), found.difference[columns], atol=1e-9)
    np.testing.assert_allclose(numbers_of(table, "effect_size"), found.effect_size[columns], atol=1e-9)
    np.testing.assert_allclose(numbers_of(table, "importance_a"), found.importance_a[columns], atol=1e-4)
    warning = reader.page.locator(".warning")
    assert "p-values that are too small" in warning.text_content()
    assert not warning.is_visible(), "p-values come second"


def test_all_points_are_saved_with_their_places_and_columns(reading, penguins_page, penguins_model, penguins):
    reader = reading(penguins_page, link="tab=region&a=category:0:2")
    reader.hear("differs most")
    table = reader.saved_table("All points (CSV)")
    places = np.column_stack([numbers_of(table, "x"), numbers_of(table, "y")])
    np.testing.assert_array_equal(places.astype(np.float32), penguins_model.embedding_)
    assert [line["species"] for line in table] == list(penguins[1]["species"])
    assert [line["island"] for line in table] == list(penguins[1]["island"])
    is_gentoo = penguins[1]["species"] == "Gentoo"
    assert [line["region"] for line in table] == list(np.where(is_gentoo, "A", ""))


def test_copied_python_gives_the_numbers_of_a_point(reading, penguins_page, penguins_model):
    reader = reading(penguins_page, link="row=17")
    reader.hear("Row 17 lies")
    names = {"model": penguins_model}
    exec(reader.copied("Copy as Python"), names)
    assert reader.page.locator(".panel .sentence").text_content() == names["why"].sentence
    table = reader.saved_table("This point, all features (CSV)")
    np.testing.assert_allclose(numbers_of(table, "importance"), names["importance"], atol=1e-4)
    np.testing.assert_allclose(numbers_of(table, "explained"), names["explained"], atol=1e-6)
    arrows = np.column_stack([numbers_of(table, "arrow_x"), numbers_of(table, "arrow_y")])
    np.testing.assert_allclose(arrows, names["arrows"], atol=1e-4 * np.abs(names["arrows"]).max())


def check_effect_sizes(reader, contrast):
    table = reader.saved_table("A against B, all features (CSV)")
    expected = contrast.effect_size[[int(line["column"]) for line in table]]
    np.testing.assert_allclose(numbers_of(table, "effect_size"), expected, atol=1e-9)


def test_copied_python_gives_the_numbers_of_regions(reading, penguins_page, penguins_model, penguins):
    reader, embedding = reading(penguins_page), penguins_model.embedding_
    species = penguins[1]["species"].to_numpy()
    reader.draw(drawn_line(reader, embedding, species == "Adelie"))
    reader.hear("differs most")
    reader.page.get_by_label("Rows of region B").select_option(label="Gentoo")
    reader.hear("against region B")
    names = {"model": penguins_model, "columns": penguins[1]}
    exec(reader.copied("Copy as Python"), names)
    check_effect_sizes(reader, names["contrast"])
    np.testing.assert_array_equal(reader.saved_rows("A"), names["a"])
    np.testing.assert_array_equal(reader.saved_rows("B"), names["b"])


def test_copied_python_gives_the_rows_of_a_line_around_a_map_with_one_axis(reading, penguins, tmp_path):
    model = FeatMAP(n_components=1, n_epochs=30, random_state=0).fit(penguins[0])
    model.to_html(tmp_path / "line.html")
    left, middle = model.embedding_.min() - 1, np.median(model.embedding_)
    corners = [left, -1, middle, -1, middle, 1, left, 1]
    reader = reading(tmp_path / "line.html", link=f"tab=region&a=lasso:0:{','.join(map(str, corners))}")
    reader.hear("differs most")
    names = {"model": model}
    exec(reader.copied("Copy as Python"), names)
    assert len(names["a"]) > 100
    np.testing.assert_array_equal(reader.saved_rows("A"), names["a"])
    check_effect_sizes(reader, names["contrast"])


def test_copied_python_gives_the_numbers_of_a_feature_and_of_the_map(reading, penguins_page, penguins_model):
    reader = reading(penguins_page, link="tab=feature&feature=2&colour=feature:2")
    names = {"model": penguins_model}
    exec(reader.copied("Copy as Python"), names)
    sentence = reader.page.locator(".panel .sentence").text_content()
    assert sentence.startswith(f"The map shows {100 * names['shown']:.0f} % of its variance")
    assert f"Other features know {100 * names['backing']:.0f} % of it" in sentence
    reader.page.get_by_role("tab", name="Check").click()
    exec(reader.copied("Copy as Python"), names)
    assert reader.page.locator(".panel .sentence").text_content() == names["trust"].sentence
    figures = reader.page.locator("table.facts").first.locator("tbody td:nth-of-type(1)").all_text_contents()
    trust = names["trust"]
    shares = [f"{trust.share_of_flat:.2f}", f"{trust.share_of_all:.2f}"]
    assert figures == [f"{trust.trustworthiness:.3f}", f"{trust.density_correlation:.2f}", *shares]


def test_features_rows_and_labels_are_found_by_name(reading, penguins_page):
    reader = reading(penguins_page)
    search, found = reader.page.locator(".search input"), reader.page.locator(".search li")
    search.fill("MASS")
    assert found.all_text_contents() == ["body_mass_g feature"]
    search.fill("gen")
    assert found.all_text_contents() == ["Gentoo label"]
    search.fill("row 341")
    assert found.all_text_contents() == ["Row 341 row"]
    search.fill("row 342")
    assert found.count() == 0
    search.fill("17")
    reader.page.keyboard.press("Enter")
    reader.wait_for_link("row", "17")


def test_a_link_restores_the_view(reading, penguins_page):
    reader = reading(penguins_page)
    box = reader.page.locator(".map").bounding_box()
    reader.page.mouse.move(box["x"] + 200, box["y"] + 200)
    reader.page.mouse.wheel(0, -300)
    reader.page.locator(".legend").get_by_role("button", name="Gentoo").click()
    reader.page.locator(".colour-by select").select_option(label="island")
    reader.page.get_by_role("tab", name="Regions").click()
    reader.page.get_by_label("Rows of region A").select_option(label="Chinstrap")
    reader.hear("differs most")
    reader.page.get_by_text("its rows lie among").wait_for()
    reader.wait(lambda: {"camera", "colour", "tab", "a"} <= set(reader.link), "the link")
    again = reading(penguins_page, link=reader.copied("Link to this view").partition("#")[2])
    again.page.get_by_text("its rows lie among").wait_for()
    again.hear("differs most")
    assert again.link == reader.link
    for part in (".panel", ".legend"):
        assert again.page.locator(part).text_content() == reader.page.locator(part).text_content()
    np.testing.assert_allclose(places_of_names(again), places_of_names(reader), atol=0.01)


def test_a_page_follows_a_link_that_is_put_into_its_address(reading, penguins_page):
    reader = reading(penguins_page)
    before = places_of_names(reader)
    reader.later_link()
    reader.page.evaluate("location.hash = 'camera=0.5,0.5,0.05&row=3'")
    reader.hear("lies among")
    reader.wait(lambda: places_of_names(reader) != before, "the map to move")
    again = reading(penguins_page, link="camera=0.5,0.5,0.05&row=3")
    again.hear("lies among")
    reader.wait(lambda: np.allclose(places_of_names(again), places_of_names(reader), atol=0.01), "the same view")


def test_a_missing_label_has_no_colour_of_a_label(reading, penguins_model, penguins, tmp_path):
    species = penguins[1]["species"].where(np.arange(len(penguins[0])) != 3)
    penguins_model.to_html(tmp_path / "page.html", labels=species)
    reader = reading(tmp_path / "page.html", link="row=3")
    reader.hear("lies among")
    labels = reader.page.locator(".labels")
    assert "missing" in labels.text_content()
    colour = "element => getComputedStyle(element).backgroundColor"
    assert labels.locator(".swatch").evaluate(colour) == "rgb(201, 201, 205)"


def places_of_names(reader):
    names = reader.page.locator(".overlay .name text").all()
    return [[float(name.get_attribute(side)) for side in "xy"] for name in names]


def test_a_wrong_link_opens_the_first_view(reading, penguins_page):
    reader = reading(penguins_page)
    for link in ("row=99999&tab=nothing", "a=lasso:0:1,2", "colour=feature:99&camera=NaN,1,2", "%%%<b>"):
        reader.open(link)
        assert "Why is this point here?" in reader.page.locator(".panel").text_content()


def test_the_legend_filters(reading, penguins_page, penguins_model, penguins):
    reader, embedding = reading(penguins_page), penguins_model.embedding_
    chip = reader.page.locator(".legend").get_by_role("button", name="Gentoo")
    chip.click()
    reader.hear("Gentoo is left out.")
    assert chip.get_attribute("aria-pressed") == "false"
    assert "Gentoo" not in reader.page.locator(".overlay .name.group").all_text_contents()
    gentoo = np.flatnonzero(penguins[1]["species"] == "Gentoo")
    place = embedding[gentoo[nearest_row(embedding[gentoo], embedding[gentoo].mean(axis=0))]]
    reader.page.mouse.click(*reader.place_of(embedding, place))
    assert "row" not in reader.later_link()
    reader.page.get_by_role("tab", name="Point").click()
    reader.page.locator(".legend").get_by_role("button", name="Show all").click()
    reader.page.mouse.click(*reader.place_of(embedding, place))
    reader.wait(lambda: "row" in reader.link, "a pinned row")


def test_points_are_coloured_by_whatever_is_asked_for(reading, penguins_page):
    reader = reading(penguins_page, link="feature=1")
    chooser = reader.page.locator(".colour-by select")
    for name in chooser.locator("option").all_text_contents():
        chooser.select_option(label=name)
        reader.hear(f"Points are coloured by {name}.")
        reader.page.locator(".legend .waiting").wait_for(state="detached")
        if name not in ("nothing", "species", "island"):
            assert reader.page.locator(".legend .ramp").count() == 1, name


def test_two_maps_share_one_selection(reading, penguins_page, penguins_model, penguins):
    reader = reading(penguins_page, link="beside=1", size=(1500, 800))
    assert reader.page.locator(".map-name").all_text_contents() == ["FeatMAP", "PCA"]
    other = PCA(2).fit_transform(penguins[0]).astype(np.float32)
    reader.page.mouse.click(*reader.place_of(other, other[33], map_number=1))
    reader.wait_for_link("row", str(nearest_row(other, other[33])))
    assert reader.page.locator(".overlay .pinned").count() == 2


def test_every_tab_answers_on_pictures(reading, digits_page, model):
    reader = reading(digits_page, link="row=5")
    reader.hear("Row 5 lies")
    why = model.why(5)
    pixels = [f"pixel ({line.column // 8}, {line.column % 8})" for line in why.apart]
    assert features_under(reader, "sets this neighbourhood apart") == pixels
    assert reader.page.locator(".pictures canvas").count() == 4
    for tab in ("Feature", "Check", "About"):
        reader.page.get_by_role("tab", name=tab).click()
        assert reader.page.locator(".panel h2").count() == 1
        assert tab != "Check" or model.trust().sentence in reader.page.get_by_role("tabpanel").text_content()


def test_the_picture_is_a_picture_of_the_points(reading, penguins_page, penguins_model):
    reader = reading(penguins_page, link="row=3")
    reader.hear("Row 3 lies")
    drawing = ET.fromstring(reader.saved("Picture (SVG)"))
    circles = [element for element in drawing if element.tag.endswith("circle")]
    assert len(circles) == len(penguins_model.embedding_)
    texts = ["".join(element.itertext()) for element in drawing.iter() if element.tag.endswith("}text")]
    assert {"Adelie", "Chinstrap", "Gentoo"} <= set(texts)
    assert reader.saved("Picture (PNG)").startswith(b"\x89PNG")


def test_the_rows_beyond_the_sample_are_filled_in_on_request(reading, penguins_page, penguins_model):
    reader = reading(penguins_page, link="tab=check&colour=fidelity")
    reader.page.get_by_text("300 of 342 rows").wait_for()
    reader.page.get_by_role("button", name="Compute the others").click()
    reader.page.get_by_text("of 342 rows; the others are grey").wait_for(state="detached")
    table = reader.saved_table("All points (CSV)")
    found = numbers_of(table, "how true the arrows are")
    np.testing.assert_allclose(found, penguins_model.fidelity(None), atol=1e-6)


def test_a_feature_has_a_field_of_arrows_and_a_table_of_it(reading, penguins_page):
    reader = reading(penguins_page, link="tab=feature&feature=0&colour=feature:0")
    reader.page.locator(".field .arrow").first.wait_for()
    reader.page.get_by_text("from 300 rows").wait_for()
    table = reader.page.get_by_role("region", name="Mean of bill_length_mm by species")
    assert sorted(table.locator("tbody th").all_text_contents()) == ["Adelie", "Chinstrap", "Gentoo"]
    assert all(table.locator("tbody td:nth-of-type(2)").all_text_contents())


@pytest.fixture(scope="module")
def planted_page(tmp_path_factory):
    """Two features vary together and have no place on the map, which six others span.

    The map is given, so that its bits do not depend on the processor.
    """
    rng = np.random.default_rng(5)
    places = rng.uniform(-1, 1, size=(400, 2))
    hidden = rng.normal(size=(400, 1))
    shown = 3 * places @ rng.normal(size=(2, 6)) + 0.05 * rng.normal(size=(400, 6))
    data = np.column_stack([shown, hidden + 0.03 * rng.normal(size=(400, 2))])
    frame = pd.DataFrame(data, columns=[*(f"shown {i}" for i in range(6)), "planted", "its twin"])
    model = explain(frame, places)
    path = tmp_path_factory.mktemp("pages") / "planted.html"
    model.to_html(path)
    return path, model


def test_a_planted_feature_that_the_map_hides_is_listed_and_has_no_arrow(reading, planted_page):
    path, model = planted_page
    whys = [model.why(row) for row in range(0, 400, 20)]
    hides = [why for why in whys if {"planted", "its twin"} & {line.feature for line in why.hidden}]
    assert len(hides) > len(whys) / 2
    reader = reading(path, link="tab=point")
    for why in hides[:3]:
        reader.open(f"row={why.rows[0]}")
        reader.hear(why.sentence)
        assert features_under(reader, "but the map hides") == [line.feature for line in why.hidden]
        arrows = reader.page.locator(".overlay .name.arrow").all_text_contents()
        assert not {"planted", "its twin"} & set(arrows)


def test_on_noise_all_arrows_are_faint_and_the_page_says_so(reading, rng, tmp_path):
    FeatMAP(n_epochs=50, random_state=0).fit(rng.normal(size=(300, 10))).to_html(tmp_path / "noise.html")
    reader = reading(tmp_path / "noise.html", link="row=7")
    reader.hear("Row 7 lies")
    assert "Arrows are poor" in reader.page.locator(".panel .warning").text_content()
    arrows = reader.page.locator(".overlay .arrow:not(.name)").all()
    assert {arrow.get_attribute("opacity") for arrow in arrows} <= {"0.25"}


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    """Every hostile text is a feature, a label and part of a row's name, and all of them are the title."""
    rng = np.random.default_rng(0)
    n = len(HOSTILE)
    names = pd.Index(HOSTILE, dtype=object)
    data = pd.DataFrame(rng.normal(size=(4 * n, 3)) @ rng.normal(size=(3, n)), columns=names)
    labels = pd.Series(4 * HOSTILE, name=HOSTILE[0], dtype=object)
    ids = [f"{text}{number}" for number, text in enumerate(labels)]
    path = tmp_path_factory.mktemp("pages") / "hostile.html"
    model = FeatMAP(n_epochs=20, random_state=0).fit(data)
    maps = {HOSTILE[3]: PCA(2).fit_transform(data)}
    title = " ".join(HOSTILE)
    model.to_html(path, labels=labels, columns={HOSTILE[1]: labels}, ids=ids, maps=maps, title=title)
    return path, title, ids


def test_hostile_strings_are_text_everywhere(reading, hostile_page):
    path, title, _ = hostile_page
    reader = reading(path, link="row=1&beside=1", size=(1500, 900))
    page = reader.page
    page.locator(".panel .sentence").wait_for()
    assert in_utf8(page.locator("h1").text_content()) == in_utf8(title)
    for tab in ("Regions", "Feature", "Check", "About", "Point"):
        page.get_by_role("tab", name=tab).click()
    page.get_by_role("tab", name="Regions").click()
    page.get_by_label("Rows of region A").select_option(index=1)
    reader.hear("differs most")
    page.locator(".search input").fill("script")
    assert page.locator(".search li").count() > 0
    page.keyboard.press("Escape")
    assert page.title().startswith(HOSTILE[0])
    assert page.evaluate("window.hit === undefined")
    assert page.locator(OF_MARKUP).count() == 0
    assert page.locator("script").count() == page.locator("script[id], script:not([type])").count()


OF_MARKUP = "img, iframe, object, embed, b, form, a[href^=javascript], body style, textarea, svg[onload]"


def test_hostile_strings_are_text_in_files(reading, hostile_page):
    path, _, ids = hostile_page
    reader = reading(path, link="tab=region&a=category:0:1")
    reader.hear("differs most")
    drawing = ET.fromstring(reader.saved("Picture (SVG)"))
    tags = {element.tag.rpartition("}")[2] for element in drawing.iter()}
    assert tags <= {"svg", "title", "rect", "circle", "text", "g", "path", "line", "polygon", "polyline"}
    reader.saved("Picture (PNG)")
    points = reader.saved_table("All points (CSV)")
    assert [line["id"] for line in points] == [in_a_table(text) for text in ids]
    assert [line[HOSTILE[0]] for line in points] == [in_a_table(text) for text in 4 * HOSTILE]
    features = reader.saved_table("A against B, all features (CSV)")
    assert sorted(line["feature"] for line in features) == sorted(map(in_a_table, HOSTILE))
    for line in (*points, *features):
        assert not [cell for cell in line.values() if is_formula(cell) and not is_number(cell)]


def in_a_table(text):
    """An apostrophe keeps a spreadsheet from computing a text."""
    return in_utf8(f"'{text}" if is_formula(text) else text)


def is_formula(text):
    """As spreadsheets see it: they pass over what cannot be seen, and some take letters of full width for others."""
    return re.match(r"[\s\x00-\x1f\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]", text) is not None


def is_number(text):
    return re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text) is not None


def test_the_whole_walk_by_keyboard(reading, penguins_page, penguins_model, penguins):
    reader = reading(penguins_page)
    keys = reader.page.keyboard
    keys.press("/")
    keys.type("flipper")
    reader.hear("1 found.")
    keys.press("Enter")
    reader.hear("The map shows flipper_length_mm.")
    reader.tab_to(".map")
    keys.press("ArrowRight")
    reader.wait(lambda: "row" in reader.link, "a pinned row")
    first = int(reader.link["row"])
    reader.hear(penguins_model.why(first).sentence)
    keys.press("ArrowLeft")
    reader.wait(lambda: reader.link["row"] != str(first), "a step")
    second = int(reader.link["row"])
    assert penguins_model.embedding_[second, 0] < penguins_model.embedding_[first, 0]
    reader.hear(penguins_model.why(second).sentence)
    reader.page.locator(".neighbours").first.wait_for()
    reader.tab_to(".neighbours button")
    keys.press("Enter")
    reader.wait(lambda: reader.link["row"] != str(second), "a neighbour")
    reader.hear(penguins_model.why(int(reader.link["row"])).sentence)


def test_regions_and_files_by_keyboard(reading, penguins_page, penguins_model, penguins):
    reader = reading(penguins_page)
    keys = reader.page.keyboard
    reader.tab_to("#featmap-tab-point")
    keys.press("ArrowRight")
    reader.tab_to(".chooser select")
    keys.type("Adelie")
    found = penguins_model.contrast("Adelie", labels=penguins[1]["species"])
    most = int(np.abs(found.effect_size).argmax())
    reader.hear(f"Region A, 151 rows, against all others, 191 rows: {found.features[most]} differs most")
    reader.hear(f"effect size {found.effect_size[most]:.1f}).")
    reader.tab_to(".take > summary", key="Shift+Tab")
    keys.press("Enter")
    reader.page.locator(".take .menu").wait_for()
    with reader.page.expect_download() as download:
        reader.tab_to(".take .menu button[data-name='Row numbers of A']")
        keys.press("Enter")
    rows = np.array(Path(download.value.path()).read_text().split(), int)
    np.testing.assert_array_equal(rows, np.flatnonzero(penguins[1]["species"] == "Adelie"))


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_nothing_stands_in_the_way_of_assistive_technology(reading, penguins_page, is_dark):
    link = "tab=region&row=3&feature=1&a=category:0:0&b=category:0:1&beside=1"
    reader = reading(penguins_page, link=link, is_dark=is_dark, size=(1500, 900))
    assert reader.page.locator("#featmap-app").get_attribute("data-theme") == ("dark" if is_dark else "light")
    for tab in ("Regions", "Point", "Feature", "Check", "About"):
        reader.page.get_by_role("tab", name=tab).click()
        reader.page.locator(".panel .sentence" if tab in ("Regions", "Point") else ".panel h2").first.wait_for()
        assert violations(reader, is_dark) == [], tab


def violations(reader, is_dark):
    """What axe finds to be in the way. In dark only colours are other than in light."""
    if not AXE.exists():
        absent("needs axe-core: npm ci in web/")
    if reader.page.evaluate("typeof axe") == "undefined":
        reader.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = reader.page.evaluate("axe.run({ runOnly: ['color-contrast'] })" if is_dark else "axe.run()")
    assert len(found["passes"]) + len(found["incomplete"]) > (0 if is_dark else 10)
    return [(each["id"], [node["html"][:120] for node in each["nodes"]]) for each in found["violations"]]


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_nothing_stands_in_the_way_when_menus_are_open_or_windows_narrow(reading, digits_page, is_dark):
    reader = reading(digits_page, link="row=3&colour=feature:5&feature=5", is_dark=is_dark, size=(500, 900))
    reader.page.locator(".neighbours canvas").last.wait_for()
    reader.page.locator(".map-table > summary").click()
    reader.open_menu()
    assert violations(reader, is_dark) == []
    reader.page.locator(".take .menu").get_by_role("button", name="Copy as Python").click()
    reader.page.locator("dialog textarea").wait_for()
    assert violations(reader, is_dark) == []
    reader.page.keyboard.press("Escape")
    reader.page.keyboard.press("/")
    reader.page.keyboard.type("pixel")
    reader.page.locator(".search li").first.wait_for()
    assert violations(reader, is_dark) == []


def test_about_says_what_the_map_is(reading, penguins_page, penguins, tmp_path):
    about = reading(penguins_page, link="tab=about").page.get_by_role("tabpanel").text_content()
    assert (
        "A map of 342 rows with 4 features, made by featMAP. Points that are near each other are rows that are "
        "alike. Answers are computed from the data, with the numbers of the Python library."
    ) in about
    assert "This file contains the data of the map. Whoever has the file has the data." in about
    assert "axes" not in about
    theirs = explain(penguins[0], PCA(3).fit_transform(penguins[0]))
    theirs.to_html(tmp_path / "theirs.html")
    about = reading(tmp_path / "theirs.html", link="tab=about").page.get_by_role("tabpanel").text_content()
    assert "342 rows with 4 features, made by another method and explained by featMAP. Points that" in about
    assert "of the Python library. The map has 3 axes; the page shows the first two." in about


def test_two_fingers_zoom(reading, penguins_page, penguins_model):
    reader = reading(penguins_page)
    box = reader.page.locator(".map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = reader.context.new_cdp_session(reader.page)

    def send(kind, *offsets):
        points = [{"x": x + offset, "y": y, "id": number} for number, offset in enumerate(offsets)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", -50, 50)
    for step in range(1, 11):
        send("touchMove", -50 - 5 * step, 50 + 5 * step)
    send("touchEnd")
    reader.wait(lambda: "camera" in reader.link, "a moved camera")
    assert "row" not in reader.later_link()
    room = np.array([box["width"], box["height"]])
    scale = (0.88 * room / np.ptp(penguins_model.embedding_, axis=0)).min() / room.min()
    reader.wait(lambda: abs(float(reader.link["camera"].split(",")[2]) / scale - 2) < 0.05, "twice the size")


def test_the_bundle_makes_no_code_and_no_markup_and_loads_nothing():
    import featmap

    static = Path(featmap.__file__).parent / "explorer" / "static"
    for name in ("app.js", "worker.js", "app.css"):
        text = (static / name).read_text(encoding="utf-8")
        for word in ("eval(", "Function(", "innerHTML", "outerHTML", "insertAdjacentHTML", "https://", "import("):
            assert word not in text, f"{name} has {word}"


def test_a_part_of_a_model_is_called_by_the_numbers_of_the_model(reading, model, labels, tmp_path):
    rows, features = np.arange(20, 220), np.arange(8, 40)
    model.to_html(tmp_path / "part.html", labels=labels, rows=rows, features=features)
    reader = reading(tmp_path / "part.html")
    reader.page.locator(".search input").fill("row 25")
    assert reader.page.locator(".search li").all_text_contents() == ["Row 25 row"]
    reader.page.keyboard.press("Enter")
    reader.hear("Row 25 lies")
    assert "row = 25" in reader.copied("Copy as Python")
    table = reader.saved_table("This point, all features (CSV)")
    assert [line["feature"] for line in table] == [f"feature {number}" for number in features]
    np.testing.assert_array_equal(numbers_of(table, "column"), features)
    np.testing.assert_array_equal(numbers_of(reader.saved_table("All points (CSV)"), "row"), rows)
    reader.page.get_by_role("tab", name="About").click()
    assert "It has 200 of 300 rows" in reader.page.get_by_role("tabpanel").text_content()
