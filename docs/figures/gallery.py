"""Draw the pictures of docs/gallery.md, each by the command that stands above it there.

    python docs/figures/gallery.py

Pages of reports are pictures of what chromium shows of them.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.image

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "gallery.md"
FOLDER = ROOT / "docs" / "figures" / "gallery"
COMMANDS = re.compile(r"^\$ tploracle (.*?(\w[\w-]*\.(?:png|html)).*)$", re.MULTILINE)
ESTIMATES = {
    "counts.json": "examples/commuters/visits.csv --user user --time time --state zone --counts",
    "second.json": "examples/commuters/habits.txt --order 2",
}
CONFORMS = (0, 1)
"""Exit status of commands that answer: an implementation that does not conform is one of the pictures."""


def photographed(page: Path, picture: Path) -> None:
    """Write what a browser shows of the beginning of a page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 900, "height": 1100})
        shown.goto(page.as_uri())
        shown.screenshot(path=picture)
        browser.close()


def in_few_greys_and_colours(picture: Path) -> None:
    """Write a picture anew with 16 shades of each colour, which is small and loses nothing to the eye."""
    pixels = matplotlib.image.imread(picture)[..., :3]
    matplotlib.image.imsave(picture, (pixels * 15).round() / 15)


def main() -> None:
    """Run the page's commands, and keep what they draw."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copytree(ROOT / "examples", work / "examples")
        program = Path(sys.executable).parent / "tploracle"
        for name, asked in ESTIMATES.items():
            written = subprocess.run(
                [program, "estimate", *asked.split()], cwd=work, check=True, capture_output=True, text=True
            )
            (work / name).write_text(written.stdout, encoding="utf-8")
        for command, name in COMMANDS.findall(PAGE.read_text(encoding="utf-8")):
            done = subprocess.run(
                [program, *shlex.split(command)], cwd=work, check=False, capture_output=True, text=True
            )
            if done.returncode not in CONFORMS:
                raise SystemExit(f"{command}: {done.stderr}")
            picture = FOLDER / f"{Path(name).stem}.png"
            if name.endswith(".html"):
                photographed(work / name, picture)
            else:
                shutil.copyfile(work / name, picture)
            in_few_greys_and_colours(picture)
            print(picture.relative_to(ROOT))


if __name__ == "__main__":
    main()
