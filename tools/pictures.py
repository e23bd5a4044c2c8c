"""Pictures that a browser takes of the playground's worlds.

``python -m tools.pictures gallery`` makes the pictures of ``docs/gallery.md`` anew, after a change of how worlds are
drawn. ``python -m tools.pictures presets FOLDER`` takes each preset in light and dark, on a phone and on a screen, and
puts those of one kind on a sheet, for people to look at.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from PIL import Image

from graphfsa import play
from graphfsa.playground.page import worlds_script
from tools.gallery import PICTURE, World
from tools.playable import PAGE, SCHEME

DOCS = Path(__file__).parent.parent / "docs"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SIZES = {1400: 900, 400: 860}
"""The width of each window, and its height."""
THUMBNAIL = {1400: 700, 400: 300}
STEPS = 12
PATIENCE = 40


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium or Chrome, from the path."""
    from playwright.sync_api import sync_playwright

    path = next((found for found in map(shutil.which, BROWSERS) if found), None)
    if path is None:
        raise SystemExit("this needs chromium (apt-get install chromium)")
    with sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


def gallery(chromium: Any) -> None:
    """Draw each world of the gallery at its step, and keep the picture."""
    worlds = PICTURE.findall((DOCS / "gallery.md").read_text(encoding="utf-8"))
    figures = "".join(World(title).html(alt, "data:,") for alt, _, title in worlds).replace(SCHEME, f"{PAGE}#")
    style = "button { display: block; padding: 0; border: 0 } canvas { width: 640px; height: 360px }"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gallery.html"
        script = f"<script>{worlds_script()}</script>"
        path.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{figures}{script}", "utf-8")
        page = chromium.new_page(color_scheme="light", reduced_motion="reduce")
        page.goto(path.as_uri())
        _until(page, "globalThis.worlds?.length > 0")
        drawn = page.evaluate("worlds.map((world) => (world.draw(), world.canvas.toDataURL('image/png')))")
        page.close()
    for (_, source, _), url in zip(worlds, drawn, strict=True):
        path = DOCS / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b64decode(url.partition(",")[2]))
        with Image.open(path) as image:
            image.convert("RGB").convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(path, optimize=True)


def presets(chromium: Any, folder: Path) -> None:
    """Take each preset in each window, in light and dark, and put those of one kind on one sheet."""
    folder.mkdir(parents=True, exist_ok=True)
    play(out=folder / "page.html")
    for width, height in SIZES.items():
        for scheme in ("light", "dark"):
            page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto((folder / "page.html").as_uri())
            _until(page, "Boolean(globalThis.playground?.session.fsa)")
            names = page.evaluate("playground.presets.map(({ id }) => id)")
            shots = [_shot(page, folder, name, f"{width}-{scheme}") for name in names]
            _sheet(shots, THUMBNAIL[width]).save(folder / f"sheet-{width}-{scheme}.png")
            page.close()


def _shot(page: Any, folder: Path, name: str, kind: str) -> Path:
    page.goto("about:blank")
    page.goto(f"{(folder / 'page.html').as_uri()}#{name}")
    _until(page, "globalThis.playground?.session.time > 0")
    page.evaluate("steps => playground.session.goTo(steps)", STEPS)
    _until(page, f"playground.session.time === {STEPS} && !playground.session.busy")
    page.wait_for_timeout(250)
    path = folder / f"{name}-{kind}.png"
    page.screenshot(path=path)
    return path


def _until(page: Any, script: str) -> None:
    """Wait from outside, as the page's policy forbids it to be asked to run text."""
    deadline = monotonic() + PATIENCE
    while not page.evaluate(script):
        if monotonic() > deadline:
            raise SystemExit(f"{script}: still not so after {PATIENCE} s")
        page.wait_for_timeout(20)


def _sheet(paths: list[Path], width: int) -> Image.Image:
    images = []
    for path in paths:
        with Image.open(path) as image:
            images.append(image.convert("RGB").resize((width, image.height * width // image.width)))
    columns = max(1, 2100 // width)
    height = images[0].height
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * (width + 8), rows * (height + 8)), "#888888")
    for place, image in enumerate(images):
        sheet.paste(image, (place % columns * (width + 8), place // columns * (height + 8)))
    return sheet


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=__doc__)
    parser.add_argument("what", choices=["gallery", "presets"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("presets"), help="where presets go")
    given = parser.parse_args()
    with browser() as chromium:
        gallery(chromium) if given.what == "gallery" else presets(chromium, given.folder)


if __name__ == "__main__":
    main()
