"""The pages for users against WCAG 2.2, in Chromium: one test for each criterion that a machine can check.

The project has a brand with a logo, an icon and links, so that every page has everything that a page can have.
"""

import base64
from pathlib import Path
from urllib.parse import urlencode

import pytest
import requests
from selenium.webdriver.common.keys import Keys

import gateway
from accessibility import violations
from browser import browser
from client import ADMIN_HEADERS, Client
from installation import new_database
from test_pages import action_page_url, create_verified_account, link_identity, merge_accounts, removal_link

pytestmark = pytest.mark.slow
LOGO = Path(__file__).parents[1] / "Fuzzing/Seeds/image/png"
BRAND = {"name": "Acme", "color": "#ffcc00", "privacyUrl": "https://acme.example/privacy",
         "termsUrl": "https://acme.example/terms", "supportUrl": "mailto:help@acme.example"}
# WCAG 2.2, 1.4.12.
TEXT_SPACING = """
    document.querySelectorAll("*").forEach(element => {
        element.style.lineHeight = "1.5"; element.style.letterSpacing = "0.12em"; element.style.wordSpacing = "0.16em" });
    document.querySelectorAll("p").forEach(element => element.style.marginBottom = "2em")"""


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    """A `dev` with a database of its own, whose project has a brand."""
    path = folder / "page-accessibility"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        set_brand(running)
        yield running


def set_brand(running):
    project = f"{running.url}/v2/projects/demo"
    image = requests.post(
        f"{project}/brandImages", json={"content": base64.b64encode(LOGO.read_bytes()).decode()},
        headers=ADMIN_HEADERS, timeout=30).json()["imageId"]
    brand = {**BRAND, "logo": image, "darkLogo": image, "favicon": image}
    changed = requests.patch(
        f"{project}/config?updateMask=brand", json={"brand": brand}, headers=ADMIN_HEADERS, timeout=30)
    assert changed.json()["brand"] == brand, changed.text


@pytest.fixture(scope="module")
def window():
    with browser(records_requests=True) as opened:
        yield opened


def sign_in_page_url(running):
    parameters = {
        "app": "default", "continueUri": f"{running.url}/in", "state": "s", "code_challenge": "c" * 43,
        "code_challenge_method": "S256"}
    return f"{running.url}/demo/__/auth/signIn?{urlencode(parameters)}"


@pytest.fixture(scope="module")
def urls(own_dev, contract):
    """The URLs of pages by name."""
    client = Client(own_dev, contract)
    ada, owner = client.new_account(), create_verified_account(client)
    link_identity(client, "google.com", owner)
    return {
        "verify an address": action_page_url(client, "VERIFY_EMAIL", ada["email"]),
        "reset a password": action_page_url(client, "PASSWORD_RESET", owner["email"]),
        "sign in": action_page_url(client, "EMAIL_SIGNIN", ada["email"], continueUrl="http://localhost/in"),
        "remove a sign-in method": removal_link(own_dev, owner["email"]),
        "undo a merge": merge_accounts(client)[1],
        "request a reset": f"{own_dev.url}/__/auth/forgotPassword",
        "request a reset in Arabic": f"{own_dev.url}/__/auth/forgotPassword?lang=ar",
        "request a reset in Japanese": f"{own_dev.url}/demo/__/auth/forgotPassword?lang=ja",
        "sign-in page": sign_in_page_url(own_dev),
        "sign-in page in Arabic": sign_in_page_url(own_dev) + "&hl=ar",
        "a link that does not work": f"{own_dev.url}/__/auth/action?oobCode=bad",
    }


@pytest.fixture(params=[
    "verify an address", "reset a password", "sign in", "remove a sign-in method", "undo a merge", "request a reset",
    "request a reset in Arabic", "request a reset in Japanese", "sign-in page", "sign-in page in Arabic", "a link that does not work"])
def page(request, urls, window):
    """The window with each page, at first wide and light. A code that does not exist belongs to no project."""
    window.set_screen(1280, False)
    # The parameter `hl` of an earlier page is kept in a cookie.
    window.driver.delete_all_cookies()
    window.has_brand = request.param != "a link that does not work"
    return window.open(urls[request.param])


def screen(window, width, *, height=800, **media):
    """Sets the size of the window, and media features by name with underscores."""
    window.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
    window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def overflow(window):
    """By how many pixels the page is wider than the window."""
    return window.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(page, scheme):
    for width in (1280, 320):
        screen(page, width, prefers_color_scheme=scheme)
        assert violations(page) == []


def test_the_logo_has_the_name_as_its_text(page):
    """1.1.1"""
    if not page.has_brand:
        assert page.elements("img") == []
        return
    [logo] = page.elements("main img")
    assert logo.get_attribute("alt") == "Acme"
    assert page.evaluate("document.querySelector('main img').naturalWidth") > 0
    assert page.heights("main img")[0] <= 40


def test_inputs_have_labels_and_purposes(page):
    """1.3.1 and 1.3.5"""
    for field in page.elements("input:not([type=hidden]):not([type=checkbox])"):
        assert page.elements(f"label[for={field.get_attribute('id')}]")
        assert field.get_attribute("autocomplete")
    assert page.driver.execute_script(
        "return [...document.querySelectorAll('input')].every(input => !input.placeholder)")


def test_forced_colors_leave_borders_and_focus_rings(page):
    """1.4.1 and 1.4.11"""
    screen(page, 1280, forced_colors="active")
    # Browsers draw checkboxes themselves. Plain buttons look like links.
    for element in page.elements(
            "main button:not(.plain), main .button, main input:not([type=hidden]):not([type=checkbox]):not([readonly])"):
        assert element.value_of_css_property("border-top-style") != "none"
    assert violations(page) == []
    press_tab(page)
    assert outline(page) == "3px"


@pytest.mark.parametrize(("width", "height"), [(320, 256), (320, 568)], ids=["zoom of 400 %", "small telephone"])
def test_nothing_scrolls_sideways(page, width, height):
    """1.4.4 and 1.4.10: at a zoom of 400 %, a window of 1280 × 1024 pixels has 320 × 256 CSS pixels."""
    screen(page, width, height=height)
    assert overflow(page) <= 0


def test_text_can_have_more_space(page):
    """1.4.12"""
    screen(page, 320)
    page.driver.execute_script(TEXT_SPACING)
    assert overflow(page) <= 0
    clipped = page.driver.execute_script("""
        return [...document.querySelectorAll("main *, footer *")].filter(element =>
            getComputedStyle(element).overflow != "visible" && element.scrollHeight > element.clientHeight + 1
            && !["INPUT", "IMG"].includes(element.tagName)).map(element => element.outerHTML)""")
    assert clipped == []


def press_tab(window):
    window.driver.switch_to.active_element.send_keys(Keys.TAB)


def outline(window):
    return window.evaluate("getComputedStyle(document.activeElement).outlineWidth")


def test_the_keyboard_reaches_everything_in_visual_order_with_a_visible_ring(page):
    """2.1.1, 2.4.3, 2.4.7 and 2.4.11"""
    page.evaluate("document.activeElement.blur()")
    expected = page.driver.execute_script("""
        return [...document.querySelectorAll("a[href], button, select, input:not([type=hidden])")]
            .filter(element => element.checkVisibility()).map(element => element.outerHTML)""")
    reached, tops = [], []
    for _ in expected:
        press_tab(page)
        reached.append(page.evaluate("document.activeElement.outerHTML"))
        tops.append(page.evaluate("document.activeElement.getBoundingClientRect().top + scrollY"))
        assert outline(page) == "3px"
        covered = page.driver.execute_script("""
            const box = document.activeElement.getBoundingClientRect();
            const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
            return !document.activeElement.contains(top)""")
        assert not covered, reached[-1]
    assert reached == expected
    # The skip link moves everything down while it has the focus.
    assert tops[1:] == sorted(tops[1:])


def test_a_skip_link_leads_to_the_content(page):
    """2.4.1"""
    page.evaluate("document.activeElement.blur()")
    press_tab(page)
    link = page.driver.switch_to.active_element
    assert link.get_attribute("href").endswith("#content") and link.is_displayed()
    assert page.elements("main#content") and len(page.elements("main")) == len(page.elements("body > footer")) == 1


def test_the_title_and_the_only_heading_say_what_the_page_is_for(page):
    """2.4.2 and 2.4.6"""
    assert len(page.elements("h1")) == 1
    assert page.driver.title == page.heading + (" – Acme" if page.has_brand else "")


def test_targets_are_at_least_44_pixels_high_and_wide(page):
    """2.5.8, which asks for 24"""
    screen(page, 320)
    boxes = page.driver.execute_script("""
        return [...document.querySelectorAll(
            "main button, main .button, footer a, footer button, select, main input:not([type=hidden])")].map(
            element => element.type == "checkbox" ? element.closest(".choice") : element).map(
            element => [element.outerHTML, element.getBoundingClientRect().width, element.getBoundingClientRect().height])""")
    assert [box for box in boxes if box[1] < 44 or box[2] < 44] == []


def test_nothing_moves(page):
    """2.2.2 and 2.3.3"""
    moving = page.driver.execute_script("""
        return [...document.querySelectorAll("*")].filter(element => {
            const style = getComputedStyle(element);
            return style.animationName != "none" || style.transitionDuration != "0s" })""")
    assert moving == []


def test_the_language_and_the_direction_are_stated(page):
    """3.1.1"""
    language = page.element("html").get_attribute("lang")
    assert language in page.driver.current_url or language == "en"
    assert page.element("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")


def test_help_is_the_first_link_of_the_footer(page):
    """3.2.6"""
    links = [link.get_attribute("href") for link in page.elements("body > footer a")]
    assert links == ([BRAND["supportUrl"], BRAND["privacyUrl"], BRAND["termsUrl"]] if page.has_brand else [])


def test_a_page_is_small_and_loads_only_the_images_of_the_brand(page, own_dev):
    """At most 15 KB and three requests, none of them to another host."""
    url = page.driver.current_url
    page.requests()
    page.console_messages()
    page.open(url)
    loaded = [found for found in page.requested_urls() if not found.startswith("data:")]
    assert len(loaded) <= 3 and all(found.startswith(own_dev.url) for found in loaded)
    assert len(requests.get(url, timeout=30).content) <= 15_000
    assert [text for text in page.console_messages() if "400" not in text] == []


def test_a_rejected_form_explains_what_is_wrong(window, own_dev):
    """3.3.1, 3.3.3 and 3.3.7: the summary is announced, focused and linked to the field, and the title says so."""
    window.set_screen(320, False)
    window.driver.delete_all_cookies()
    window.open(f"{own_dev.url}/__/auth/forgotPassword")
    window.driver.execute_script("document.querySelector('form').noValidate = true")
    window.element("#address").send_keys("ada", Keys.ENTER)
    window.wait(lambda: window.driver.title.startswith("Error: "))
    alert = window.element("[role=alert]")
    assert alert == window.driver.switch_to.active_element
    assert window.element("#address").get_attribute("aria-describedby") == alert.get_attribute("id")
    assert window.element("#address").get_attribute("aria-invalid") == "true"
    assert violations(window) == [] and overflow(window) <= 0
    press_tab(window)
    assert window.driver.switch_to.active_element.get_attribute("href").endswith("#address")
