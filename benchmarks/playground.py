"""The playground in a headless browser: how soon it moves, how fast it runs while it is drawn, how large it is."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks._report import provenance, row
from graphfsa import families, library, play
from graphfsa.errors import GraphFSAError
from graphfsa.playground.scenes import scene

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
COUNT = """async ([seconds, speed]) => {
  const { session } = playground, wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let frames = 0, going = true;
  const tick = () => { frames++; if (going) requestAnimationFrame(tick); };
  session.speed = speed;
  session.play();
  await wait(1500);
  requestAnimationFrame(tick);
  const from = [session.time, performance.now()];
  frames = 0;
  await wait(1000 * seconds);
  const took = (performance.now() - from[1]) / 1000, steps = session.time - from[0];
  going = false;
  session.pause();
  return { steps: steps / took, frames: frames / took };
}"""
MOVED = """() => new Promise((resolve) => {
  const look = () => (playground.session.time > 0 ? resolve(performance.now()) : requestAnimationFrame(look));
  look();
})"""


def measure(*, quick: bool, seed: int) -> dict[str, Any]:
    """The figures of the page on this machine, in a browser without a screen and without a graphics card."""
    path = next((found for found in map(shutil.which, CHROMIUM) if found), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        raise GraphFSAError("this needs chromium and Playwright for Python")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        file = Path(folder) / "page.html"
        play(out=file)
        browser = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            rows = _measure(browser, file, quick, seed)
        finally:
            browser.close()
    return {
        "title": "python -m benchmarks playground",
        "rows": rows,
        "provenance": provenance(seed, quick, ("playwright",)),
    }


def _measure(browser: Any, file: Path, quick: bool, seed: int) -> list[dict[str, Any]]:
    rows = [row("the page", file.stat().st_size / 1000, "kB", "< 600")]
    starts = [_first_motion(browser, file) for _ in range(2 if quick else 5)]
    rows.append(row("first motion after opening the file", median(starts), "s", "< 1"))
    page = browser.new_page(viewport={"width": 1280, "height": 820})
    page.goto(file.as_uri())
    seconds = 1 if quick else 6
    for name, world, target in _worlds(quick, seed):
        page.evaluate("scene => playground.show(scene)", world)
        page.wait_for_timeout(800)
        rates = page.evaluate(COUNT, [seconds, 60])
        rows.append(row(f"{name}: steps while it is drawn", rates["steps"], "/s", f"> {target}"))
        rows.append(row(f"{name}: frames", rates["frames"], "/s"))
    return [*rows, *_memory(page, 4 if quick else 60)]


def _first_motion(browser: Any, file: Path) -> float:
    page = browser.new_page()
    began = perf_counter()
    page.goto(file.as_uri(), wait_until="commit")
    page.wait_for_load_state("domcontentloaded")
    page.evaluate(MOVED)
    took = perf_counter() - began
    page.close()
    return took


def _worlds(quick: bool, seed: int) -> list[tuple[str, dict[str, Any], int]]:
    rng = np.random.default_rng(seed)
    side, nodes = (64, 1000) if quick else (512, 100_000)
    torus = families.moore(side, side, torus=True)
    graph = families.barabasi_albert(nodes, 2, rng) if quick else families.erdos_renyi(nodes, mean_degree=5.0, rng=rng)

    def world(fsa: Any, graph: Any) -> dict[str, Any]:
        return scene(fsa, graph, rng.integers(0, fsa.num_states, graph.num_nodes).astype(np.uint8))

    return [
        (f"Life, {side} x {side}", world(library.life_like(), torus), 59),
        (f"four states, {side} x {side}", world(_busy(rng), torus), 30),
        (f"graph of {nodes:,} nodes and {graph.num_arcs:,} arcs", world(_flipping(), graph), 30),
    ]


def _busy(rng: np.random.Generator) -> Any:
    """A table at random over four states: every cell may change in every step."""
    from graphfsa import CountingAggregation, GraphFSA

    aggregation = CountingAggregation(3)
    return GraphFSA(list("abcd"), aggregation, rng.integers(0, 4, (4, aggregation.num_values(4))))


def _flipping() -> Any:
    """Two states that keep about half of the nodes moving."""
    from graphfsa import CountingAggregation, GraphFSA

    return GraphFSA.from_rule(["0", "1"], CountingAggregation(3), lambda state, counts: (counts["1"] + int(state)) % 2)


def _memory(page: Any, seconds: int) -> list[dict[str, Any]]:
    """How much the memory of the page and its worker grows while it runs as fast as it can, for each step."""
    page.evaluate("playground.show({...playground.presets[0].scene, speed: 1000}, {play: true})")
    page.wait_for_timeout(1000 * seconds)
    samples = [_sample(page) for _ in range(2)]
    for _ in range(seconds):
        page.wait_for_timeout(1000)
        samples.append(_sample(page))
    few = max(2, len(samples) // 4)
    early, late = samples[:few], samples[-few:]
    steps = median(step for step, _ in late) - median(step for step, _ in early)
    if steps <= 0:
        raise GraphFSAError("the page did not run while its memory was measured")
    grown = median(size for _, size in late) - median(size for _, size in early)
    return [
        row(f"memory of the page and its worker after {samples[-1][0]:,} steps of Life", late[-1][1], "MB"),
        row(f"growth over {steps:,.0f} of these steps", grown, "MB"),
        row("growth in 8 hours at 30 steps/s, extrapolated", grown / steps * 8 * 3600 * 30, "MB", "< 50"),
    ]


def _sample(page: Any) -> tuple[int, float]:
    """The step, and the memory that the page's process has, after its garbage was collected."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    tools.detach()
    browser = page.context.browser.new_browser_cdp_session()
    found = browser.send("SystemInfo.getProcessInfo")["processInfo"]
    browser.detach()
    pids = [process["id"] for process in found if process["type"] == "renderer"]
    pages = max(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return page.evaluate("playground.session.time"), pages * 4096 / 1e6
