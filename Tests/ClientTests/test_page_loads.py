"""How many page loads a task takes a person who follows only visible texts: at most eight, by mouse and by keyboard."""

import json
import re
import uuid

import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import Select

import gateway
from browser import browser
from client import PASSWORD, fresh_email
from installation import new_database
from test_start_page_browser import admin, fill, sign_in_with_apple

pytestmark = pytest.mark.slow

LIMIT = 8
# The text by which a person knows an element: that of its label, or else its first line.
NAME = "(element => (element.labels?.[0] ?? element).innerText.trim().split('\\n')[0].trim())"


class Newcomer:
    def __init__(self, window, tool):
        self.window, self.driver, self.tool = window, window.driver, tool

    def start(self, url):
        self._navigations()
        self.window.open(url)

    def page_loads(self):
        return len(self._navigations())

    def _navigations(self):
        """The URLs that the window has shown since the last call, without those of frames."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        frames = [event["params"]["frame"] for event in events if event["method"] == "Page.frameNavigated"]
        return [frame["url"] for frame in frames if "parentId" not in frame]

    def follow(self, text):
        """Clicks the link or button with this text, or presses the enter key on it, and waits for the next page."""
        before = self.window.element("html")
        self._activate("a, button", text)
        self.window.wait(lambda: staleness_of(before)(self.driver))
        self.window.wait(lambda: self.window.evaluate("document.readyState") == "complete")

    def unfold(self, text):
        self._activate("summary", text)

    def enter(self, label, text):
        self._reach("input", label).send_keys(text)

    def choose(self, label, option):
        element = self._reach("select", label)
        if self.tool == "mouse":
            Select(element).select_by_visible_text(option)
        else:
            element.send_keys(option)

    def _activate(self, selector, text):
        element = self._reach(selector, text)
        if self.tool == "mouse":
            element.click()
        else:
            element.send_keys(Keys.ENTER)

    def _reach(self, selector, text):
        """The first visible element with this text; by keyboard, the one to which the tab key moves the focus."""
        if self.tool == "mouse":
            found = self.driver.execute_script(
                f"return [...document.querySelectorAll(arguments[0])].filter(element => "
                f"element.checkVisibility() && {NAME}(element) === arguments[1])", selector, text)
            assert found, f"no {selector} is called {text} on the page {self.window.heading}"
            return found[0]
        for _ in range(300):
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
            if self.driver.execute_script(
                    f"const element = document.activeElement;"
                    f"return element.matches(arguments[0]) && {NAME}(element) === arguments[1]", selector, text):
                return self.driver.switch_to.active_element
        raise AssertionError(f"the tab key reaches no {selector} called {text} on the page {self.window.heading}")


@pytest.fixture(scope="module")
def own_dev(dev, folder):
    path = folder / "page-loads"
    path.mkdir(mode=0o711)
    with gateway.dev(path, "--database-url", new_database(dev.database_url)) as running:
        fill(running)
        yield running


@pytest.fixture(scope="module")
def window():
    with browser(records_requests=True) as opened:
        opened.set_screen(1280, False)
        yield opened


@pytest.fixture(params=["mouse", "keyboard"])
def newcomer(window, request):
    return Newcomer(window, request.param)


def test_a_user_is_created(own_dev, newcomer):
    email = fresh_email()
    newcomer.start(own_dev.url + "/")
    newcomer.follow("New account")
    newcomer.enter("Email address", email)
    newcomer.enter("Password", PASSWORD)
    newcomer.follow("Create account")
    assert newcomer.window.heading == email and "The account was created." in newcomer.window.text
    assert newcomer.page_loads() <= LIMIT


def test_the_reason_of_a_failed_sign_in_is_found_in_the_requests(own_dev, newcomer):
    newcomer.start(own_dev.url + "/")
    newcomer.follow("Requests")
    newcomer.choose("Show", "Errors")
    newcomer.follow("Search")
    assert "The password is wrong" in newcomer.window.text
    assert newcomer.page_loads() <= LIMIT


def test_a_person_is_disconnected_at_apple(own_dev, newcomer):
    name = "Mary" + uuid.uuid4().hex[:6]
    sign_in_with_apple(own_dev, {"id": name, "givenName": name, "email": f"{name}@example.com"})
    newcomer.start(own_dev.url + "/")
    newcomer.follow("People")
    newcomer.follow(name)
    newcomer.follow("Disconnect the app")
    assert "no longer uses Sign in with Apple" in newcomer.window.text
    assert newcomer.page_loads() <= LIMIT


def test_a_merge_is_undone(own_dev, newcomer):
    address = fresh_email()
    source, target = [admin(own_dev, "", {"email": email})["localId"] for email in (fresh_email(), address)]
    preview = admin(own_dev, ":merge", {"sourceLocalId": source, "localId": target, "dryRun": True})
    admin(own_dev, ":merge", {"mergeToken": preview["mergeToken"]})
    newcomer.start(own_dev.url + "/")
    newcomer.follow("Accounts")
    newcomer.follow(address)
    newcomer.unfold("Merge with another account, or undo a merge")
    newcomer.follow("Undo a merge")
    assert "Both accounts exist again." in newcomer.window.text
    assert newcomer.page_loads() <= LIMIT


@pytest.fixture
def signed_in(console, owner, newcomer):
    """A person who is signed in to the console."""
    newcomer.window.open(console.url + "/console/signIn")
    for cookie in owner[0].session.cookies:
        newcomer.driver.add_cookie({"name": cookie.name, "value": cookie.value, "path": "/", "sameSite": "Strict"})
    return newcomer


def test_the_reason_of_a_failed_sign_in_is_found_in_the_account(console, owner, signed_in):
    visitor, email = owner[0], fresh_email()
    created = visitor.submit(visitor.open("/console/demo/newAccount"), "create-account", email=email)
    assert "The account is disabled." in visitor.submit(created, "disable").text
    signed_in.start(console.url + "/console")
    signed_in.follow("Accounts")
    signed_in.enter("ID, email address, phone number or name", email)
    signed_in.follow("Search")
    signed_in.follow(email)
    assert re.search(r"The user cannot sign in:\s+The account is disabled", signed_in.window.text)
    assert signed_in.page_loads() <= LIMIT


def test_a_user_of_the_console_is_created_and_signed_out(console, signed_in):
    email = fresh_email()
    signed_in.start(console.url + "/console")
    signed_in.follow("Accounts")
    signed_in.follow("New account")
    signed_in.enter("Email address", email)
    signed_in.follow("Create account")
    assert "The account was created." in signed_in.window.text
    signed_in.follow("Sign out everywhere")
    assert "Every session of the account has ended." in signed_in.window.text
    assert signed_in.page_loads() <= LIMIT
