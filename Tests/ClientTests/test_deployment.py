"""The files for systemd and containers."""

import configparser

import yaml

from contract import CONTRACT_FILE

DEPLOY = CONTRACT_FILE.parent / "Deploy"


def test_core_dumps_are_disabled():
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(DEPLOY / "sekisho.service")
    assert unit["Service"]["LimitCORE"] == "0"
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for name in ("migrate", "gateway"):
        assert services[name]["ulimits"] == {"core": 0}, name
