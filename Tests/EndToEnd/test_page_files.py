"""The files for browsers are read by tools for their languages: HTML by tidy, scripts by tsc, style sheets by tinycss2."""

import subprocess
from pathlib import Path

import pytest
import tinycss2

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted({path.parent for path in (ROOT / "Sources").rglob("*.html")})
PAGES = [path for folder in FOLDERS for path in sorted(folder.glob("*.html"))]
SHEETS = [path for folder in FOLDERS for path in sorted(folder.glob("*.css"))]


def name(path):
    return str(path.relative_to(ROOT))


def faults(rules):
    """Everything in a style sheet that a browser would ignore, in nested rules too."""
    for rule in rules:
        if rule.type == "error":
            yield f"line {rule.source_line}: {rule.message}"
        elif rule.type == "at-rule" and rule.content is not None:
            yield from faults(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True))
        elif rule.type == "qualified-rule":
            yield from faults(tinycss2.parse_declaration_list(rule.content, skip_comments=True, skip_whitespace=True))


def checked(folder, scratch):
    """The errors of tsc for all scripts of a folder, which share one page."""
    return subprocess.run(
        ["tsc", "--allowJs", "--checkJs", "--noEmit", "--target", "es2022", "--lib", "es2022,dom", *map(str, sorted(folder.glob("*.js")))],
        cwd=scratch, capture_output=True, text=True, timeout=120)


def test_there_are_pages_scripts_and_sheets_to_read():
    assert len(PAGES) >= 3 and len(SHEETS) >= 3 and all(list(folder.glob("*.js")) for folder in FOLDERS)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_tidy_finds_nothing_in_a_page(page):
    # The gateway replaces the marks by relative paths and a button.
    text = page.read_text().replace("{{root}}", "../").replace("{{logout}}", '<button type="button" id="logout">Log out</button>')
    assert "{{" not in text
    told = subprocess.run(
        ["tidy", "-q", "-e", "--drop-empty-elements", "no"], input=text, capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stderr) == (0, "")


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_tsc_finds_nothing_in_the_scripts_of_a_page(folder, tmp_path):
    told = checked(folder, tmp_path)
    assert (told.returncode, told.stdout) == (0, "")


@pytest.mark.parametrize("sheet", SHEETS, ids=name)
def test_a_browser_skips_nothing_of_a_style_sheet(sheet):
    rules = tinycss2.parse_stylesheet(sheet.read_text(), skip_comments=True, skip_whitespace=True)
    assert rules and list(faults(rules)) == []


def test_the_readers_find_what_is_wrong(tmp_path):
    (tmp_path / "page.js").write_text('const open = document.getElementByID("sessions");\n')
    assert "getElementByID" in checked(tmp_path, tmp_path).stdout
    wrong = tinycss2.parse_stylesheet("@media print { b { color red; } }", skip_comments=True, skip_whitespace=True)
    assert list(faults(wrong))
