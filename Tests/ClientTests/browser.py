"""A real browser, without a window."""

from contextlib import contextmanager

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.wait import WebDriverWait

DRIVER = "/usr/bin/chromedriver"
BROWSER = "/usr/bin/chromium"


@contextmanager
def browser(*, scripts=True, language="en"):
    """Chromium with a profile of its own. `scripts` are those of pages; the driver's own run always."""
    options = Options()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server"):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {
        "intl.accept_languages": language,
        "profile.managed_default_content_settings.javascript": 1 if scripts else 2,
    })
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        driver.set_page_load_timeout(60)
        yield Browser(driver)
    finally:
        driver.quit()


class Browser:
    def __init__(self, driver):
        self.driver = driver

    def open(self, url):
        self.driver.get(url)
        return self

    def screen(self, width, dark):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def one(self, selector):
        [element] = self.all(selector)
        return element

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    @property
    def heading(self):
        return self.one("h1").text

    @property
    def text(self):
        return self.one("body").text

    def press(self, label):
        """The button or link of that name; waits for the page that it leads to."""
        [element] = [found for found in self.all("button, a") if found.text == label]
        before = self.one("html")
        element.click()
        # An element whose page is just going away is not always called stale.
        wait = WebDriverWait(self.driver, 60, ignored_exceptions=[WebDriverException])
        wait.until(staleness_of(before))
        wait.until(lambda _: self.ask("document.readyState") == "complete")

    def style(self, selector, name):
        return self.one(selector).value_of_css_property(name)

    def ask(self, script):
        return self.driver.execute_script(f"return {script}")

    def complaints(self):
        """What the browser wrote to its console: every breach of the page's own policy among it."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
