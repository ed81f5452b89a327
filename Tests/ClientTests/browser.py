"""Chromium's headless shell, driven by Selenium. The shell needs half the CPU time of the browser with windows."""

import json
from contextlib import contextmanager

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.wait import WebDriverWait

DRIVER = "/usr/bin/chromedriver"
# Not the script in /usr/bin: the driver would end the script, but not the browser.
BROWSER = "/usr/lib/chromium/chromium-headless-shell"


@contextmanager
def browser(*, runs_scripts=True, language="en", records_requests=False, arguments=()):
    """Chromium with a new profile. `runs_scripts` allows JavaScript of pages; scripts of the driver always run.

    `records_requests` is for `Browser.requests`; `arguments` are more options of Chromium's command line.
    """
    options = Options()
    options.binary_location = BROWSER
    common = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server")
    for argument in (*common, f"--accept-lang={language}", *arguments):
        options.add_argument(argument)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL"} | ({"performance": "ALL"} if records_requests else {}))
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        driver.set_page_load_timeout(60)
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not runs_scripts})
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    def __init__(self, driver):
        self.driver = driver

    def open(self, url):
        self.driver.get(url)
        return self

    def set_screen(self, width, is_dark, height=800):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]})

    def element(self, selector):
        [element] = self.elements(selector)
        return element

    def elements(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    @property
    def heading(self):
        return self.element("h1").text

    @property
    def text(self):
        return self.element("body").text

    def buttons_and_links(self, label):
        """The visible buttons and links whose first line of text is `label`."""
        return self.driver.execute_script("""
            return [...document.querySelectorAll("button, a")].filter(
                found => found.checkVisibility() && found.innerText.split("\\n")[0].trim() === arguments[0])""", label)

    def click(self, label):
        """Clicks the only button or link with this label, and waits for the next page."""
        [element] = self.buttons_and_links(label)
        before = self.element("html")
        element.click()
        self.wait(lambda: staleness_of(before)(self.driver))
        self.wait(lambda: self.evaluate("document.readyState") == "complete")

    def wait(self, condition):
        """Waits until `condition()` is true, and returns its value.

        Errors of the driver and missing elements count as false, because the page may be loading.
        """
        return WebDriverWait(
            self.driver, 60, poll_frequency=0.05, ignored_exceptions=[WebDriverException, ValueError]
        ).until(lambda _: condition())

    def heights(self, selector):
        """The heights of the elements, in CSS pixels."""
        return self.driver.execute_script("""
            const found = [...document.querySelectorAll(arguments[0])];
            return found.map(element => element.getBoundingClientRect().height);""", selector)

    def style(self, selector, name):
        return self.element(selector).value_of_css_property(name)

    def evaluate(self, script):
        return self.driver.execute_script(f"return {script}")

    def requests(self):
        """The requests of Chromium since the last call, each with `url`, and `postData` if it has a body."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [event["params"]["request"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def requested_urls(self):
        """The URLs that Chromium has requested since the last call of `requests` or of this function."""
        return [request["url"] for request in self.requests()]

    def console_messages(self):
        """The console messages since the last call, which include violations of the Content-Security-Policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
