"""People who use a screen reader or keys: every control has a role and a name, and the world is told in words."""

import pytest

CONTROLS = {
    "application", "button", "checkbox", "combobox", "DisclosureTriangle", "img", "image", "link", "listbox",
    "menuitem", "option", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "dialog",
}  # fmt: skip
OPENED = {
    "about": "",
    "rules": "document.getElementById('tab-rules').click(); document.querySelector('#rules details').open = true",
    "diagram": "document.getElementById('tab-map').click()",
    "world": "document.getElementById('tab-place').click();"
    "for (const each of document.querySelectorAll('#place details')) each.open = true",
    "lessons": "document.getElementById('tab-learn').click()",
    "a lesson": "document.getElementById('tab-learn').click();"
    "document.querySelector('#learn [data-lesson=spread]').click(); document.getElementById('next-step').click()",
    "examples": "document.getElementById('examples').click()",
    "sharing": "document.getElementById('share').click()",
    "help": "document.getElementById('help').click()",
}


def tree(page):
    """What chromium tells screen readers: role, name, description and whether it can have the focus."""
    tools = page.context.new_cdp_session(page)
    found = tools.send("Accessibility.getFullAXTree")["nodes"]
    tools.detach()
    for node in found:
        if not node["ignored"]:
            flags = {flag["name"]: flag["value"].get("value") for flag in node.get("properties", [])}
            words = [node.get(key, {}).get("value", "").strip() for key in ("name", "description")]
            yield node["role"]["value"], *words, bool(flags.get("focusable"))


@pytest.mark.parametrize("name", ["contagion", "life"])
def test_every_control_has_a_role_and_a_name(visitor, name):
    seen = 0
    visitor.open(f"#{name}")
    for where, script in OPENED.items():
        visitor.do(f"for (const open of document.querySelectorAll('dialog[open]')) open.close(); {script}")
        visitor.page.wait_for_timeout(60)
        nodes = [node for node in tree(visitor.page) if node[0] != "RootWebArea"]
        controls = [node for node in nodes if node[3] or node[0] in CONTROLS]
        seen += len(controls)
        assert [(where, node) for node in controls if not node[1]] == []
        # Scrolling boxes can have the focus in chromium; what is inside them has names of its own.
        scrolling = ("generic", "tabpanel", "region", "list", "complementary", "Section")
        assert {node[0] for node in controls} <= CONTROLS | set(scrolling), where
    assert seen > 150


def test_the_world_is_told_in_words(visitor):
    visitor.open("#path-finding")
    visitor.do("playground.session.goTo(0)")
    visitor.settled()
    visitor.page.wait_for_timeout(200)
    (world,) = [node for node in tree(visitor.page) if node[0] == "application"]
    assert world[1] == "The world. Arrow keys move a cursor, Enter paints the node under it, w asks why it moved."
    assert world[2] == "PathFinding: 90 nodes, 89 edges. Step 0: 88 node, 2 marked."
    visitor.page.locator("#settle").click()
    visitor.settled()
    visitor.page.wait_for_timeout(200)
    (world,) = [node for node in tree(visitor.page) if node[0] == "application"]
    assert world[2].startswith("PathFinding: 90 nodes, 89 edges. Step ")
    assert " off, " in world[2]
    assert "marked" not in world[2]


def test_the_speed_is_told_in_words(visitor):
    speed = visitor.page.locator("#speed")
    for value, words in (("0", "0.5 steps a second"), ("75", "31 steps a second"), ("100", "as fast as it can")):
        speed.fill(value)
        assert speed.get_attribute("aria-valuetext") == words


def test_why_a_node_moved_is_reached_with_keys_and_read_out(visitor):
    visitor.open("#distance")
    visitor.do("playground.session.goTo(3)")
    visitor.settled()
    visitor.page.locator("#world").focus()
    visitor.page.keyboard.press("ArrowDown")
    visitor.page.keyboard.press("w")
    visitor.page.locator("#why dl").first.wait_for()
    assert visitor.page.locator("#why").get_attribute("aria-live") == "polite"
    assert [node for node in tree(visitor.page) if node[3] and not node[1] and node[0] != "RootWebArea"] == []
