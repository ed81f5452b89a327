"""The worst body of any operation costs the gateway about as much as an ordinary body of the same size."""

import json
from pathlib import Path
from urllib.parse import quote_plus

import pytest
import requests

from client import ADMIN_HEADERS
from contract import Contract

pytestmark = pytest.mark.slow

CONTRACT = Contract.load()
# Just below the limits of bodies: of JSON, of imports, and of the forms of pages.
JSON_BYTES = 63 * 1024
BATCH_BYTES = 4 * 1024 * 1024 - 1024
FORM_BYTES = 7 * 1024
# An ordinary body of this size costs a few milliseconds. Quadratic work on one text of it costs a hundred times as much.
HIGHEST_RATIO = 20
# A batch is decoded on a thread of its own. Its ordinary body is one long text, which costs less per byte.
HIGHEST_RATIO_OF_BATCHES = 100
# Added to the time of an ordinary body, in nanoseconds: what the gateway does for other reasons in the meantime.
NOISE = 40_000_000

# Combining characters in the reverse of the order into which Unicode's normalization sorts them.
REVERSED = "\u0345\u0301\u0334"
# As many in a row as the gateway accepts.
ACCEPTED_RUN = "r" + REVERSED * 42


def text(unit, size):
    return unit * (size // len(unit.encode()))


def members(size):
    return ",".join(f'"{number:x}":0' for number in range(size // 10))


# Each function returns a JSON value of about `size` bytes.
VALUES = {
    "combining characters": lambda size: json.dumps("r" + text(REVERSED, size), ensure_ascii=False),
    "runs of combining characters": lambda size: json.dumps(text(ACCEPTED_RUN, size), ensure_ascii=False),
    "escaped combining characters": lambda size: json.dumps("r" + text(REVERSED, size // 3)),
    "Hangul": lambda size: json.dumps(text("\u1100\u1161\u11a8", size), ensure_ascii=False),
    "one grapheme": lambda size: json.dumps("r" + text("\u200d\u034f", size), ensure_ascii=False),
    "escapes": lambda size: '"' + text("\\u0041", size) + '"',
    "a long number": lambda size: "9" * size,
    "a long fraction": lambda size: "0." + "1" * size,
    "nested arrays": lambda size: "[" + ",".join(["[" * 20 + "]" * 20] * (size // 41)) + "]",
    "numbers": lambda size: "[" + "0," * (size // 2) + "0]",
    "objects": lambda size: "[" + "{}," * (size // 3) + "{}]",
    "texts": lambda size: "[" + ",".join(['"a"'] * (size // 4)) + "]",
    "members": lambda size: "{" + members(size) + "}",
}
NAMES = ["combining characters", "runs of combining characters", "Hangul", "one grapheme", "escapes"]


def ordinary(size):
    return json.dumps("r" * size)


def operations(media_type):
    return {name: operation for name, operation in CONTRACT.operations.items()
            if media_type in operation.body.get("requestBody", {}).get("content", {})}


def properties(operation, media_type):
    """The names of the members of a request body."""
    found = {}
    waiting = [operation.body["requestBody"]["content"][media_type]["schema"]]
    while waiting:
        schema = CONTRACT.resolved(waiting.pop())
        waiting += schema.get("allOf", []) + schema.get("oneOf", []) + schema.get("anyOf", [])
        found |= schema.get("properties", {})
    return list(found)


def cpu_time(gateway, threads=""):
    """The time that the threads of the gateway whose names begin with `threads` have run, in nanoseconds."""
    tasks = Path(f"/proc/{gateway.process.pid}/task").iterdir()
    return sum(
        int((task / "schedstat").read_text().split()[0]) for task in tasks
        if (task / "comm").read_text().startswith(threads))


def cost(gateway, operation, body, media_type):
    """Sends a request, and returns the time that the gateway's threads have used for it."""
    path = operation.path.format(**{name: gateway.project for name in names_in(operation.path)})
    security = [name for choice in operation.body["security"] for name in choice]
    headers = {"Content-Type": media_type} | (ADMIN_HEADERS if "apiKey" not in security else {})
    params = {"key": gateway.api_key} if "apiKey" in security else {}
    before = cpu_time(gateway)
    response = requests.request(
        operation.method, gateway.url + path, data=body.encode(), params=params, headers=headers, timeout=120,
        allow_redirects=False)
    after = cpu_time(gateway)
    assert response.status_code != 500, response.text
    return after - before


def names_in(path):
    return [part.split("}")[0] for part in path.split("{")[1:]]


def check(gateway, operation, worst_bodies, ordinary_body, media_type):
    highest_ratio = HIGHEST_RATIO_OF_BATCHES if len(ordinary_body) > JSON_BYTES * 2 else HIGHEST_RATIO
    expected = sorted(cost(gateway, operation, ordinary_body, media_type) for _ in range(3))[1]
    costs = {name: cost(gateway, operation, body, media_type) for name, body in worst_bodies.items()}
    too_high = {name: f"{time / 1e6:.1f} ms, ordinary {expected / 1e6:.1f} ms" for name, time in costs.items()
                if time > highest_ratio * expected + NOISE}
    assert not too_high


def size_of_json(name):
    return BATCH_BYTES if name in ("batchCreateAccounts", "batchDeleteAccounts") else JSON_BYTES


@pytest.mark.parametrize("name", operations("application/json"))
def test_json_of_the_worst_form_costs_as_much_as_ordinary_json(name, fresh_dev):
    operation = CONTRACT.operations[name]
    size = size_of_json(name)
    worst = {f"value: {form}": f'{{"other":{value(size)}}}' for form, value in VALUES.items()}
    worst |= {f"name: {form}": f"{{{VALUES[form](size)}:0}}" for form in NAMES}
    worst["members of the body"] = f"{{{members(size)}}}"
    for member in properties(operation, "application/json"):
        # A large body is slow to build and to send, so only its arrays have every form.
        for form in VALUES if size == JSON_BYTES or member in ("users", "localIds") else []:
            worst[f"{member}: {form}"] = f'{{"{member}":{VALUES[form](size)}}}'
    check(fresh_dev, operation, worst, f'{{"other":{ordinary(size)}}}', "application/json")


@pytest.mark.parametrize("name", operations("application/x-www-form-urlencoded"))
def test_a_form_of_the_worst_form_costs_as_much_as_an_ordinary_form(name, fresh_dev):
    media_type = "application/x-www-form-urlencoded"
    operation = CONTRACT.operations[name]
    size = JSON_BYTES if operation.path.startswith("/v1/") else FORM_BYTES
    texts = {form: json.loads(VALUES[form](size // 3)) for form in NAMES}
    worst = {f"name: {form}": f"{quote_plus(text)}=0" for form, text in texts.items()}
    for member in ["other", *properties(operation, media_type)]:
        worst |= {f"{member}: {form}": f"{member}={quote_plus(text)}" for form, text in texts.items()}
    check(fresh_dev, operation, worst, "other=" + "r" * (size - 6), media_type)


@pytest.mark.parametrize(("method", "path", "body"), [
    ("GET", "/v1/projects/demo/accounts:batchGet?maxResults=1000", None),
    ("POST", "/v1/projects/demo/accounts:query", {"returnUserInfo": True}),
])
def test_a_long_list_is_encoded_on_a_thread_of_its_own(method, path, body, fresh_dev):
    claims = json.dumps({"a": "x" * 900})
    users = [{"localId": f"listed{number}", "customAttributes": claims} for number in range(1000)]
    requests.post(
        f"{fresh_dev.url}/v1/projects/demo/accounts:batchCreate", json={"users": users, "allowOverwrite": True},
        headers=ADMIN_HEADERS, timeout=120).raise_for_status()
    before = [cpu_time(fresh_dev, threads) for threads in ("requests", "loop")]
    requests.request(
        method, fresh_dev.url + path, json=body, headers=ADMIN_HEADERS, timeout=120).raise_for_status()
    thread, loops = (cpu_time(fresh_dev, threads) - time for threads, time in zip(("requests", "loop"), before))
    assert thread > loops / 10
