"""The site opens from disk as it is: nothing is loaded from elsewhere, and every formula is set."""

import importlib.util
import json
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser.lab import FLAGS, chromium

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbconvert")
pytest.importorskip("math_core")
pytest.importorskip("ziamath")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "course"))

import pages  # noqa: E402

LOADING = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
CODE = ("pre", "code", "style", "script")
VIEWS = {"desk": ("light", 1100), "phone": ("dark", 360)}
SEEN = """async () => {
  const found = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  await document.fonts.ready;
  for (const font of document.fonts) if (font.status === "error") found.push("a font is missing: " + font.family);
  for (let text; (text = texts.nextNode()); )
    if (text.data.includes("$") && !text.parentElement.closest("pre, code")) found.push("a raw $: " + text.data);
  for (const math of document.querySelectorAll("math"))
    if (!math.getBoundingClientRect().width) found.push("a formula is empty");
  for (const { children: [above, below] } of document.querySelectorAll("mfrac"))
    if (above.getBoundingClientRect().bottom > below.getBoundingClientRect().top) found.push("a fraction lies flat");
  for (const image of document.images) if (!image.naturalWidth) found.push("a picture is not drawn: " + image.alt);
  if (document.scrollingElement.scrollWidth > innerWidth) found.push("the page moves sideways");
  return found;
}"""
VOID = ("meta", "link", "img", "br", "hr", "input", "source")


def abroad(url):
    parts = urlsplit(url)
    return parts.netloc or parts.scheme not in ("", "data")


class Page(HTMLParser):
    """What a page loads, links to and says, read without a browser."""

    def __init__(self, path):
        super().__init__()
        self.folder, self.open, self.tags, self.loads, self.links = path.parent, [], [], [], []
        self.prose, self.ids, self.twice = "", set(), set()
        self.feed(path.read_text("utf-8"))
        self.close()

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        if "id" in attrs:
            (self.twice if attrs["id"] in self.ids else self.ids).add(attrs["id"])
        self.loads += [attrs.get(LOADING[tag]) or ""] if tag in LOADING else []
        self.links += [attrs["href"]] if tag == "a" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if not set(self.open) & set(CODE):
            self.prose += data

    def all(self, name):
        return [attrs for tag, attrs in self.tags if tag == name]

    def levels(self):
        return [int(tag[1]) for tag, _ in self.tags if re.fullmatch("h[1-6]", tag)]

    def lacks(self, target):
        """Whether this is a place of the site that isn't there."""
        parts = urlsplit(target)
        return not (parts.scheme or parts.netloc) and not (self.folder / unquote(parts.path)).is_file()

    def faults(self):
        """Everything that keeps the page from being read by anyone, anywhere, as sentences; a good page has none."""
        found = [f"it loads {url}" for url in self.loads if abroad(url)]
        found += [f"{place} is not there" for place in self.loads + self.links if self.lacks(place)]
        found += [f"a raw $ near {near!r}" for near in re.findall(r".{0,20}\$.{0,20}", self.prose)]
        found += ["it runs a script"] if self.all("script") else []
        found += [f"a picture has no words: {image['src'][:40]}" for image in self.all("img") if not image.get("alt")]
        if [attrs.get("lang") for attrs in self.all("html")] != ["en"] or len(self.all("title")) != 1:
            found.append("its language or title is missing")
        levels = self.levels()
        if levels.count(1) != 1 or any(lower - upper > 1 for upper, lower in zip([0] + levels, levels)):
            found.append(f"its headings are not an outline: {levels}")
        found += [f"two places are called {id}" for id in sorted(self.twice)]
        return found


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    pages.build(folder)
    return folder


@pytest.fixture
def built(tmp_path):
    """Builds the site of one notebook that holds these cells, and gives its page."""

    def build(*cells):
        (tmp_path / "notebooks").mkdir()
        (tmp_path / "README.md").write_text("# T\n\nWords.\n\n## The course\n\n| | a |\n|---|---|\n| 01 | b |\n\n")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# 01 · A"), *cells])
        nbformat.write(notebook, tmp_path / "notebooks" / "01_a.ipynb")
        pages.build(tmp_path / "site", tmp_path)
        return tmp_path / "site" / "01_a.html"

    return build


def prose(*lines):
    return nbformat.v4.new_markdown_cell("\n".join(lines))


def output(kind="display_data", **what):
    return nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output(kind, **what)])


NAMES = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


OTHERS = ["index", "teaching", "search"]


@pytest.mark.parametrize("name", [*OTHERS, *NAMES])
def test_page_needs_a_cdn(site, name):
    assert Page(site / f"{name}.html").faults() == (["it runs a script"] if name == "search" else [])


def known(site):
    return json.loads((site / "places.js").read_text("utf-8").removeprefix("const PLACES = ").removesuffix(";\n"))


def test_the_search_knows_every_section_of_every_page_and_where_it_is(site):
    found = known(site)
    assert {page for page, *_ in found} == {*NAMES, "teaching"}
    assert [place for place in found if place[2] not in Page(site / f"{place[0]}.html").ids] == []
    for name in NAMES:
        levels = Page(site / f"{name}.html").levels()
        assert len([page for page, *_ in found if page == name]) == len(levels)
    assert any("vector-Jacobian" in words for *_, words in found)


def test_what_is_code_or_an_output_is_no_heading(built):
    cells = [prose("## a `b`", "", "```", "# no", "```", "words"), nbformat.v4.new_code_cell("# neither\nx = 1")]
    site = built(*cells).parent
    assert [place[1:] for place in known(site) if place[0] == "01_a"] == [
        ["01 · A", "01-a", "01 · A", ""],
        ["01 · A", "a-b", "a b", "# no words # neither x = 1"],
    ]


def test_the_style_loads_the_font_beside_it_and_nothing_else(site):
    style = (site / "style.css").read_text("utf-8")
    assert re.findall(r"url\((.*?)\)|@import", style) == [f'"{pages.FONT.name}"']
    assert (site / pages.FONT.name).is_file()


def test_every_formula_of_the_course_is_set(site):
    for name in NAMES:
        cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
        text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        blocks = re.findall(r"\$\$.+?\$\$", text, re.DOTALL)
        inline = re.findall(r"\$[^$]+\$", re.sub(r"\$\$.+?\$\$", "", text, flags=re.DOTALL))
        shown = [math.get("display", "inline") for math in Page(site / f"{name}.html").all("math")]
        assert (shown.count("block"), shown.count("inline")) == (len(blocks), len(inline))
        assert shown


def test_every_output_of_the_course_is_shown(site):
    for name in NAMES:
        cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
        outputs = [out for cell in cells for out in cell.get("outputs", [])]
        page = Page(site / f"{name}.html")
        pictures = [out.metadata["image/png"]["alt"] for out in outputs if "image/png" in out.get("data", {})]
        assert [image["alt"] for image in page.all("img")] == pictures
        texts = [attrs for tag in ("pre", "div") for attrs in page.all(tag) if "output" in attrs.get("class", "")]
        assert len(texts) == len(outputs) - len(pictures)


def test_the_first_page_leads_to_every_chapter_and_each_to_its_neighbours(site):
    links = [link for link in Page(site / "index.html").links if link.endswith(".html")]
    assert list(dict.fromkeys(links)) == [f"{name}.html" for name in [*NAMES, "teaching"]]
    for before, here, after in zip([None, *NAMES], NAMES, [*NAMES[1:], "teaching"]):
        links = {attrs["rel"]: attrs["href"] for attrs in Page(site / f"{here}.html").all("a") if "rel" in attrs}
        wanted = {"prev": before, "next": after}
        assert links == {rel: f"{name}.html" for rel, name in wanted.items() if name}


def test_a_build_gives_the_same_bytes_again(site, tmp_path):
    pages.build(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in site.iterdir()
    }


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        (prose("![a](https://192.0.2.1/b.png)"), "it loads https://192.0.2.1/b.png"),
        (prose("![a](//192.0.2.1/b.png)"), "it loads //192.0.2.1/b.png"),
        (prose("![a](b.png)"), "b.png is not there"),
        (prose("[a](02_b.ipynb)"), "02_b.html is not there"),
        (prose("a dollar $ alone"), "a raw $ near 'a dollar $ alone'"),
        (prose("### a"), "its headings are not an outline: [1, 3]"),
        (output(data={"text/html": "<script>1</script>"}), "it runs a script"),
        (output(data={"image/png": "AAAA"}, metadata={"image/png": {"alt": ""}}), "a picture has no words"),
    ],
)
def test_a_planted_fault_is_found(built, cell, fault):
    faults = Page(built(cell)).faults()
    assert any(fault in found for found in faults), faults


def test_text_that_looks_like_markup_stays_text(built):
    text = "<b>&amp;</b> \x1b[31m$\x1b[0m"
    cells = [
        output("stream", text=text),
        output("error", ename="E", evalue="", traceback=[text]),
        output(data={"text/plain": text}),
        output(data={"image/png": "AAAA"}, metadata={"image/png": {"alt": '"<b>&amp;'}}),
    ]
    path = built(*cells)
    assert Page(path).faults() == []
    assert Page(path).all("b") == []
    assert path.read_text("utf-8").count("&lt;b&gt;&amp;amp;&lt;/b&gt; $</pre>") == 3
    assert [image["alt"] for image in Page(path).all("img")] == ['"<b>&amp;']


def test_a_command_that_becomes_no_formula_is_refused(built):
    with pytest.raises(ValueError, match=r"x \+ .*nonsense.*cannot be set"):
        built(prose(r"$x + \nonsense{y}$"))


def look(folder, executable):
    """What is wrong with each page of the folder on a desk and on a phone, in a Chromium that is offline."""
    from playwright.sync_api import sync_playwright

    found = {}
    with sync_playwright() as playwright:
        flags = FLAGS + (["--no-sandbox"] if getattr(os, "geteuid", int)() == 0 else [])
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        for view, (scheme, width) in VIEWS.items():
            context = browser.new_context(offline=True, color_scheme=scheme, viewport={"width": width, "height": 900})
            for path in sorted(folder.glob("*.html")):
                page, wrong = context.new_page(), []
                page.on("pageerror", lambda error, wrong=wrong: wrong.append(f"a script fails: {error}"))
                page.on("console", lambda said, wrong=wrong: wrong.append(f"the console says: {said.text}"))
                page.on("requestfailed", lambda request, wrong=wrong: wrong.append(f"not loaded: {request.url}"))
                page.goto(path.as_uri())
                found[path.stem, view] = [*page.evaluate(SEEN), *wrong]
        browser.close()
    return found


@pytest.fixture(scope="module")
def chrome():
    """Calls `look`, or another, in a thread of its own: Playwright runs once in each."""
    executable = chromium()
    if not importlib.util.find_spec("playwright"):
        pytest.skip("playwright is not installed")
    if not executable:
        pytest.skip("no Chromium was found")
    with ThreadPoolExecutor(1) as thread:
        yield lambda folder, how=look: thread.submit(how, folder, executable).result()


@pytest.mark.browser
def test_the_pages_are_whole_without_a_network_on_a_desk_and_on_a_phone(site, chrome):
    assert chrome(site) == {(name, view): [] for name in [*OTHERS, *NAMES] for view in VIEWS}


def searched(folder, executable):
    """What the first page's search box leads to, in a Chromium that is offline."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = FLAGS + (["--no-sandbox"] if getattr(os, "geteuid", int)() == 0 else [])
        browser = playwright.chromium.launch(executable_path=executable, args=flags)
        page = browser.new_context(offline=True).new_page()
        page.goto((folder / "index.html").as_uri())
        page.get_by_label("Search").fill("Vector-Jacobian")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?*")
        several = page.locator("main ol a").all_text_contents()
        page.get_by_label("Words").fill("<img src=x onerror=alert(1)>")
        nothing = [page.locator("[role=status]").inner_text(), page.locator("main ol li, main img").count()]
        page.get_by_label("Words").fill("log-sum-exp")
        page.locator("main ol a").first.click()
        page.wait_for_load_state()
        led = page.evaluate("document.getElementById(decodeURI(location.hash.slice(1)))?.innerText")
        browser.close()
        return several, nothing, led


@pytest.mark.browser
def test_the_search_box_finds_sections_and_leads_to_them(site, chrome):
    several, nothing, led = chrome(site, searched)
    assert several
    assert all(text.split(":")[0].split(" ")[0] in {name[:2] for name in NAMES} for text in several)
    assert nothing == ["0 sections with “<img src=x onerror=alert(1)>”.", 0]
    assert led == "3. Take the largest out"


PLANTED = {
    "<img alt=a src='http://192.0.2.1/a.png'>": "not loaded: http://192.0.2.1/a.png",
    "<script src='https://192.0.2.1/a.js'></script>": "not loaded: https://192.0.2.1/a.js",
    "<style>@font-face { font-family: a; src: url(a) } p { font-family: a }</style><p>a</p>": "a font is missing: a",
    "<script>nonsense()</script>": "a script fails: nonsense is not defined",
    "<script>console.error('planted')</script>": "the console says: planted",
    "<p>$x^2$</p>": "a raw $: $x^2$",
    "<div style='width: 2000px'>a</div>": "the page moves sideways",
    "<math></math>": "a formula is empty",
    "<mfrac><mn>1</mn><mn>2</mn></mfrac>": "a fraction lies flat",
    "<img alt=a src='data:image/png;base64,AAAA'>": "a picture is not drawn: a",
}


@pytest.mark.browser
def test_planted_faults_are_seen(chrome, tmp_path):
    for number, body in enumerate(PLANTED):
        (tmp_path / f"{number}.html").write_text(f"<!DOCTYPE html><html><body>{body}</body></html>")
    found = chrome(tmp_path)
    for number, fault in enumerate(PLANTED.values()):
        for view in VIEWS:
            assert any(fault in words for words in found[str(number), view]), (fault, found[str(number), view])
