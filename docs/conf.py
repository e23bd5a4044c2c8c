"""How the documentation is built: ``make docs``. Nothing is fetched while it is built or read."""

import os
import re
import sys
from pathlib import Path

from docutils import nodes
from docutils.utils.math import latex2mathml

import graphfsa

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # cells call graphfsa
# Cells run with a profile of their own, whatever yours does. In it %%sh prints what commands print in one piece, and
# fails with the first that fails; what a cell runs gets a link to the playground; and the kernel does not note that
# it listens on this machine.
profile = DOCS / "_build" / "ipython" / "profile_default"
(profile / "startup").mkdir(parents=True, exist_ok=True)
(profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n")
(profile / "startup" / "sh.py").write_text(f"""
import subprocess, sys
from IPython import get_ipython
from IPython.core.magic import register_cell_magic
from IPython.display import HTML, display

sys.path.append({str(ROOT)!r})
from tools.playable import Recorder

recorder = Recorder()
events = get_ipython().events
events.register("pre_run_cell", recorder.begin)
events.register("post_run_cell", lambda *_: display(HTML(recorder.links())) if recorder.links() else None)

@register_cell_magic
def sh(line, cell):
    print(subprocess.run(["sh", "-ec", cell], check=True, stdout=subprocess.PIPE, text=True).stdout, end="")
    recorder.commands(cell)
""")
os.environ["IPYTHONDIR"] = str(profile.parent)

project = "GraphFSA"
author = "The GraphFSA developers"
project_copyright = author
version = release = graphfsa.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "tools.live_worlds"]
exclude_patterns = ["_build"]
highlight_language = "text"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # A cache would not notice that the package has changed.
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True

autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "pydata_sphinx_theme"
html_title = "GraphFSA"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "start": [], "howto": [], "theory": [], "results": [], "design": []}
html_math_renderer = "mathml"

ELSEWHERE = {"index", "start", "howto", "guide", "theory", "api", "results", "design"}


def guide_pages(text: str) -> str:
    """The list of guide.md with the pages of this directory that no list names yet, so that a new page is one file."""
    pages = sorted(path.stem for path in DOCS.glob("*.md") if path.stem not in ELSEWHERE)
    new = [page for page in pages if f"\n{page}\n" not in text]
    return text.rpartition("```")[0] + "".join(f"{page}\n" for page in new) + "```\n"


def figures(text: str) -> str:
    """Put the tables of the full run and of all benchmark reports where results.md asks for them."""
    from to_markdown import report

    parts = [report(path) for path in sorted((ROOT / "benchmarks").glob("*.json"))]
    tables = [measured(name) for name in TABLES]
    text = text.replace("<!-- tables -->", "\n\n".join(tables))
    return text.replace("<!-- benchmarks -->", "\n\n".join(parts))


TABLES = (
    "distance", "root-value", "prefix-sum", "path-finding", "grab", *(f"grab-{k}" for k in range(1, 6)),
    "elementary-1", "elementary-2", "elementary-rules", "wireworld", "life", "hex-life",
)  # fmt: skip


def measured(name: str) -> str:
    """A table of the full run, with its curve after the first table."""
    head, first, rest = (ROOT / "results" / f"{name}.md").read_text(encoding="utf-8").partition("\n\n|")
    grid, gap, after = rest.partition("\n\n")
    # Headings are one level deeper here.
    head, grid, after = (text.replace("\n### ", "\n#### ") for text in (head, grid, after))
    picture = f"\n\n![{name}](../results/{name}.svg)" if (ROOT / "results" / f"{name}.svg").exists() else ""
    return f"#{head}{first}{grid}{picture}{gap}{after}"


OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:\.\./)+(?:(?:[A-Z]+|benchmarks/\w+)\.md|examples/)\)")


def fill_in(app, docname, source):
    """Complete the two pages that are made of other files; links to files beside the site become plain text."""
    source[0] = OUTSIDE.sub(r"\1", source[0])
    for page, change in (("guide", guide_pages), ("results", figures)):
        if docname == page:
            source[0] = change(source[0])


def mathml(self, node):
    """Formulas as MathML, which browsers show without a script."""
    formula = latex2mathml.tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block))
    # Bars and braces stay as large as letters, and close to what they enclose.
    self.body.append(re.sub(r"<mo[^>]*>([|{}])</mo>", r'<mo stretchy="false" lspace="0" rspace="0">\1</mo>', formula))
    raise nodes.SkipNode


def setup(app):
    """Add the above to Sphinx."""
    app.add_html_math_renderer("mathml", (mathml, None), (mathml, None))
    app.connect("source-read", fill_in)
