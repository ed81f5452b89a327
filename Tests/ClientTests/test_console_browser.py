"""The console in Chromium, by keyboard alone: a person accepts an invitation, signs out and signs in again."""

import json
import re

import pytest
from selenium.webdriver.common.keys import Keys

from accessibility import violations
from browser import browser
from console_pages import OWNER, PASSWORD, received_by
from gateway import eventually
from one_time_password import totp

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def window():
    with browser() as opened:
        opened.set_screen(320, False)
        yield opened


def focus(window, condition):
    """Moves the focus with the tab key to the first element for which a condition in JavaScript is true."""
    for _ in range(40):
        window.driver.switch_to.active_element.send_keys(Keys.TAB)
        if window.evaluate(f"(element => {condition})(document.activeElement)"):
            return window.driver.switch_to.active_element
    raise AssertionError(f"no element with {condition} gets the focus on the page {window.heading}")


def fill(window, heading, **values):
    """Types into the fields of a page, submits its form with the enter key, and waits for a page with the heading."""
    assert violations(window) == [], window.heading
    for name, value in values.items():
        focus(window, f"element.name === '{name}'").send_keys(value)
    window.driver.switch_to.active_element.send_keys(Keys.ENTER)
    window.wait(lambda: window.heading == heading)


def test_a_person_accepts_an_invitation_and_signs_in_again_by_keyboard(
        fresh_installation, console, mail_server, window):
    link = json.loads(fresh_installation.run_ok(f"administrators invite {OWNER} --role owner"))["invitationUri"]
    window.open(link)
    assert window.heading == "Accept the invitation"
    fill(window, "Check your email", email=OWNER)
    assert eventually(lambda: received_by(OWNER, mail_server)), "no email was received"
    window.open(re.search(r"https?://\S+oobCode=\S+", received_by(OWNER, mail_server)[0].part("plain")).group())
    focus(window, "element.type === 'password'").send_keys(PASSWORD, Keys.ENTER)
    window.wait(lambda: not window.elements("input[type=password]"))

    window.open(f"{console.url}/console/signIn")
    fill(window, "Set up an authenticator app", email=OWNER, password=PASSWORD)
    secret = window.element("input[name=secret]").get_attribute("value")
    assert window.element("code").text == secret, "a person without a camera types the key"
    fill(window, "Overview", code=totp(secret))

    focus(window, "element.matches('summary') && element.innerText.includes('owner:')").send_keys(Keys.ENTER)
    focus(window, "element.innerText === 'Sign out'").send_keys(Keys.ENTER)
    window.wait(lambda: window.heading == "Sign in to the console")
    fill(window, "Enter the code", email=OWNER, password=PASSWORD)
    fill(window, "Overview", code=totp(secret, ahead=1))


def test_the_menu_of_an_owner_has_one_row_in_a_wide_window(window):
    window.set_screen(1280, False)
    rows = window.evaluate("""[...document.querySelectorAll('nav[aria-label=Pages] a, header summary')]
        .map(element => Math.round(element.getBoundingClientRect().top))""")
    window.set_screen(320, False)
    assert len(rows) == 11 and len(set(rows)) == 1, rows


def test_a_wrong_code_is_explained_where_the_focus_is(console, window):
    window.driver.delete_all_cookies()
    window.open(f"{console.url}/console/signIn")
    fill(window, "Enter the code", email=OWNER, password=PASSWORD)
    focus(window, "element.name === 'code'").send_keys("000000", Keys.ENTER)
    window.wait(lambda: window.elements("[role=alert]"))
    assert window.evaluate("document.activeElement.getAttribute('role')") == "alert"
    assert "The code is wrong" in window.text and violations(window) == []
