"""What is counted, the charts that show it, and what a stopped gateway has stored."""

import html5lib
import pytest
import requests

import gateway
from client import ADMIN_HEADERS, PASSWORD, fresh_email
from dev_pages import open_page
from installation import new_database

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def database_url(dev):
    return new_database(dev.database_url)


@pytest.fixture(scope="module")
def own_dev(folder, database_url):
    """A `dev` with a database of its own, in which something was counted."""
    with start(folder / "counts", database_url) as running:
        for _ in range(2):
            sign_up(running)
        call(running, "signInWithPassword", {"email": fresh_email(), "password": "wrong"})
        yield running


def start(path, database_url):
    path.mkdir(mode=0o711, exist_ok=True)
    return gateway.dev(path, "--database-url", database_url)


def call(running, operation, body):
    return requests.post(f"{running.url}/v1/accounts:{operation}?key=any", json=body, timeout=30)


def sign_up(running):
    return call(running, "signUp", {"email": fresh_email(), "password": PASSWORD}).json()


def counts(running, **query):
    response = requests.get(
        f"{running.url}/v1/projects/demo/counts", params=query, headers=ADMIN_HEADERS, timeout=30)
    assert response.status_code == 200
    return response.json()


def totals(running, kind):
    return {series["label"]: series["total"] for series in counts(running, kinds=kind)["series"]}


def document(running, path):
    """The parsed page, which has no parse error."""
    page = open_page(running, path)
    assert page.status == 200
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page.html)


@pytest.mark.parametrize("range_, periods, seconds", [
    ("LAST_24_HOURS", 24, 3600), ("LAST_30_DAYS", 30, 86400), ("LAST_365_DAYS", 365, 86400)])
def test_a_range_has_its_periods(own_dev, range_, periods, seconds):
    report = counts(own_dev, timeRange=range_)
    assert (report["timeRange"], report["periodSeconds"]) == (range_, seconds)
    assert {series["kind"] for series in report["series"]} >= {"signUps", "signIns", "refusals", "latency", "activeAccounts"}
    for series in report["series"]:
        assert len(series["counts"]) == periods and sum(series["counts"]) == series["total"] > 0


def test_sign_ups_and_refusals_are_counted(own_dev):
    assert totals(own_dev, "signUps")["password"] >= 2
    assert totals(own_dev, "refusals")["EMAIL_NOT_FOUND"] >= 1


@pytest.mark.parametrize("range_", ["LAST_24_HOURS", "LAST_30_DAYS", "LAST_365_DAYS"])
def test_each_chart_has_a_title_labels_and_its_numbers(own_dev, range_):
    page = document(own_dev, f"/console/demo/overview?range={range_}")
    figures = page.findall(".//figure")
    assert len(figures) >= 7
    for figure in figures:
        [svg] = figure.findall(f"{SVG}svg")
        title = svg.find(f"{SVG}title")
        assert svg.get("role") == "img" and svg.get("aria-labelledby") == title.get("id") and title.text.strip()
        assert [text.text for text in svg.findall(f"{SVG}text")] != []
        assert figure.find("figcaption") is not None and len(figure.findall("details//tbody/tr")) >= 1
        # The policy of the page allows no style of an element.
        assert all(element.get("style") is None for element in figure.iter())
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


def test_the_table_of_a_chart_adds_up_to_its_total(own_dev):
    page = document(own_dev, "/console/demo/overview")
    figure = page.find(".//figure")
    numbers = [int(row.findall("td")[1].text.replace(",", "")) for row in figure.findall("details//tbody/tr")]
    assert len(numbers) == 24 and sum(numbers) == int(figure.find("figcaption/strong").text.replace(",", "")) > 0


def test_the_start_page_shows_the_sign_ins_of_the_day(own_dev):
    page = document(own_dev, "/")
    assert len(page.findall(".//figure")) == 1
    assert "/console/demo/overview" in open_page(own_dev, "/").links


def test_a_project_without_counts_says_so(own_dev):
    requests.post(f"{own_dev.url}/v1/projects/quiet/accounts:query", json={}, headers=ADMIN_HEADERS, timeout=30)
    page = open_page(own_dev, "/console/quiet/overview")
    assert page.status == 200 and "Nothing was counted in the last 24 hours." in page.text


def test_a_stopped_gateway_has_stored_its_counts(dev, folder):
    url = new_database(dev.database_url)
    with start(folder / "counts-stopped", url) as running:
        sign_up(running)
    with start(folder / "counts-stopped", url) as running:
        assert totals(running, "signUps") == {"password": 1}
