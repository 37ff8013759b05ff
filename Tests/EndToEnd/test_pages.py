"""The pages: links, titles, lengths, the index, and the reference that is generated."""

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "Docs"
PAGES = sorted(DOCS.rglob("*.md"))
ALL = [*PAGES, *(ROOT / name for name in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "llms.txt"]),
       *sorted((ROOT / "Kits").glob("*/README.md")), ROOT / "Sources/Vendors/README.md"]  # fmt: skip
# Tables that operations.py writes: people search them, and do not read them.
GENERATED = {"sendbird-operations.md", "stream-operations.md"}


def name(page):
    return str(page.relative_to(ROOT))


def prose(page):
    """A page without its code, where [x](y) is no link."""
    return re.sub(r"`[^`\n]*`", "``", re.sub(r"(?m)^    .*$", "", page.read_text()))


def links(page):
    found = re.findall(r'\]\(([^)\s]+)\)|<img src="([^"]+)"', prose(page))
    return [link or picture for link, picture in found if not re.match(r"https?:", link or picture)]


def anchors(page):
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ALL, ids=name)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading_that_exist(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)} links to {link}"
        assert not anchor or anchor in anchors(target), f"{name(page)}: {link} is no heading there; there are {sorted(anchors(target))}"


def test_every_page_of_docs_is_reachable_from_the_index():
    seen, queue = set(), [DOCS / "README.md"]
    while queue:
        page = queue.pop()
        if page in seen:
            continue
        seen.add(page)
        queue += [
            target for link in links(page) if (target := (page.parent / link.partition("#")[0]).resolve()).suffix == ".md" and target.exists()]
    assert [name(page) for page in PAGES if page not in seen] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_of_docs_has_one_title_and_at_most_200_lines(page):
    lines = page.read_text().splitlines()
    assert lines[0].startswith("# ") and sum(line.startswith("# ") for line in lines) == 1
    assert len(lines) <= 200 or page.name in GENERATED, f"{name(page)} has {len(lines)} lines; make two pages of it"


def test_the_readme_has_at_most_150_lines_and_no_paragraph_above_four():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 150
    for paragraph in re.split(r"\n\s*\n", text):
        if not re.match(r"[|#\-]|    ", paragraph):
            assert len(paragraph.splitlines()) <= 4, paragraph


def test_llms_txt_lists_every_page_of_the_index():
    listed = {(ROOT / link).resolve() for link in links(ROOT / "llms.txt")}
    wanted = {(DOCS / link).resolve() for link in links(DOCS / "README.md") if "#" not in link}
    assert wanted - listed - {DOCS / "connect.md"} == set()


def test_the_reference_is_what_the_program_and_the_api_documents_declare():
    done = subprocess.run([ROOT / "Deploy/make-reference", "--check", os.environ["POSTERN"]], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_the_fault_and_the_test_that_are_to_be_copied_are_the_files_own():
    page = (ROOT / "Docs" / "add-a-fault.md").read_text()
    blocks = [textwrap.dedent(block) for block in re.findall(r"<!-- not typed: part of a file -->\n\n((?: {4}.*\n|\n)+)", page)]
    fault, test = (block.strip() for block in blocks)
    assert fault in (ROOT / "Sources" / "GatewayFaults" / "Messages" / "Delay.swift").read_text()
    assert textwrap.indent(test, "  ") in (ROOT / "Tests" / "GatewayFaultsTests" / "MessageFaultTests.swift").read_text()
