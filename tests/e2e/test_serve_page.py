"""The page of a server in a real browser: clicks, tokens, and a server that dies and returns."""

import random

import pytest

from tests.e2e.browser import Browser, needs_browser
from tests.e2e.served import Served

pytestmark = needs_browser

STATUS = "document.getElementById('status').textContent"
TREE = "document.querySelectorAll('#tree summary, #tree .leaf').length"


@pytest.fixture
def browser(tmp_path):
    found = Browser(tmp_path / "profile")
    yield found
    found.close()


def rows(n, seed):
    choice = random.Random(seed)
    found = []
    for _ in range(n):
        size, colour = choice.random(), choice.choice(["red", "green", "<b>blue</b>"])
        kind = "a" if (size > 0.5) is (colour == "red") else "b"
        found.append({"size": size, "colour": colour, "kind": kind})
    return found


@pytest.fixture
def serve(tmp_path):
    """Starts servers of one state folder, which end with the test."""
    started = []

    def start(**settings):
        options = ["--target=kind", "--task=classification", "--grace-period=100"]
        started.append(Served(tmp_path, *options, **settings))
        return started[-1]

    yield start
    for served in started:
        served.kill()


def test_the_tree_grows_while_somebody_looks(serve, browser):
    served = serve()
    served.ask("/learn", rows(300, 1))
    browser.open(f"http://127.0.0.1:{served.port}/")
    browser.wait(f"{STATUS} === 'live' && {TREE} > 0")
    before = browser.run("document.getElementById('tree-note').textContent")
    assert "nodes after 300 rows" in before
    assert browser.run("document.getElementById('no-changes').hidden") is False
    for seed in range(2, 12):
        served.ask("/learn", rows(2_000, seed))
    browser.wait("document.querySelectorAll('#changes tr').length > 0")
    assert browser.run("document.getElementById('no-changes').hidden") is True
    text = browser.run("document.getElementById('changes').textContent")
    assert "new split" in text
    # Names are text, not markup.
    assert browser.run("document.querySelectorAll('#tree b, #changes b').length") == 0
    assert browser.errors == []


def test_the_page_shows_the_model_and_what_was_refused(serve, browser):
    served = serve()
    served.ask("/learn", rows(300, 1))
    assert served.ask("/learn", {"size": ["<b>bold</b>"]})[0] == 422
    browser.open(f"http://127.0.0.1:{served.port}/")
    browser.wait(f"{STATUS} === 'live' && document.title === 'kind: SGTClassifier'")
    page = browser.run("document.body.innerHTML")
    assert page.count("<polyline") == 3
    assert "majority class" in page
    assert "<td>colour</td>" in page
    assert "values are flat" in page
    assert browser.errors == []


def test_nodes_unfold_by_clicks_and_stay_so(serve, browser):
    served = serve()
    for seed in range(10):
        served.ask("/learn", rows(2_000, seed))
    browser.open(f"http://127.0.0.1:{served.port}/")
    n_first = browser.wait(TREE)
    browser.click("#tree details:not([open]) > summary")
    n_clicked = browser.wait(f"{TREE} > {n_first} && {TREE}")
    served.ask("/learn", rows(500, 99))
    # The tree of later rows, with the same nodes unfolded.
    browser.wait("document.getElementById('tree-note').textContent.includes('20,500')")
    assert browser.run(TREE) >= n_clicked
    browser.click("#unfold")
    n_all = browser.wait(f"!document.querySelector('#tree details:not([open])') && {TREE}")
    assert n_all >= n_clicked
    browser.click("#fold")
    browser.wait("!document.querySelector('#tree details[open]')")
    assert browser.errors == []


def test_a_server_that_dies_and_returns_is_found_again(serve, browser):
    served = serve()
    served.ask("/learn", rows(1_000, 1))
    browser.open(f"http://127.0.0.1:{served.port}/")
    browser.wait(f"{STATUS} === 'live'")
    served.kill()
    browser.wait(f"{STATUS}.includes('does not answer')")
    assert browser.run("document.getElementById('status').className") == "lost"
    again = serve(port=served.port)
    browser.wait(f"{STATUS} === 'live'")
    again.ask("/learn", rows(500, 2))
    browser.wait("document.getElementById('numbers').textContent.includes('1,500')")
    browser.wait("document.getElementById('tree-note').textContent.includes('1,500')")
    assert browser.errors == []


def test_a_token_is_asked_for_and_used(serve, browser):
    token = "a-long-random-text-for-tests"
    served = serve(environment={"SGTREES_LEARN_TOKEN": token})
    served.ask("/learn", rows(1_000, 1), Authorization=f"Bearer {token}")
    browser.open(f"http://127.0.0.1:{served.port}/")
    browser.wait(f"{STATUS} === 'a token is needed'")
    assert browser.run(TREE) == 0
    browser.click("#token")
    browser.type("not the token, but long")
    browser.click("#access button")
    browser.wait("document.getElementById('access').hidden === false")
    browser.run("document.getElementById('token').value = ''")
    browser.click("#token")
    browser.type(token)
    browser.click("#access button")
    browser.wait(f"{STATUS} === 'live' && {TREE} > 0")
    assert browser.run("document.getElementById('access').hidden") is True


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (1200, True), (375, False)])
def test_nothing_is_wider_than_the_window_and_all_can_be_read(
    serve, tmp_path, browser, width, dark
):
    served = serve()
    for seed in range(6):
        served.ask("/learn", rows(2_000, seed))
    served.ask("/learn", {"size": ["a"]})
    browser.look(width=width, dark=dark)
    browser.open(f"http://127.0.0.1:{served.port}/")
    browser.wait(f"{STATUS} === 'live' && {TREE} > 0")
    browser.click("#unfold")
    assert browser.run("document.documentElement.scrollWidth") <= width
    paper = browser.run("getComputedStyle(document.documentElement).colorScheme")
    assert paper == "light dark"
    is_dark = browser.run("matchMedia('(prefers-color-scheme: dark)').matches")
    assert is_dark is dark
    browser.picture(tmp_path / f"page-{width}-{dark}.png")
