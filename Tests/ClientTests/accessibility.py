"""Checks pages with axe-core."""

from pathlib import Path

import axe_playwright_python

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(window):
    """The violations on the page that the browser shows: the rules with the elements that violate them."""
    # Scripts of the driver run although the policy of the page forbids scripts.
    window.driver.execute_script(AXE)
    result = window.driver.execute_async_script("""
        const [standards, finish] = arguments;
        axe.run(document, {runOnly: standards, iframes: false}).then(
            result => finish(result.violations), error => finish([{id: String(error), nodes: []}]))
        """, STANDARDS)
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in result]
