"""Makes the fixtures of `Tests/ClientTests` available."""

import importlib.util
import sys
from pathlib import Path

NAME = "client_tests_conftest"
specification = importlib.util.spec_from_file_location(
    NAME, Path(__file__).parent.parent / "ClientTests" / "conftest.py")
sys.modules[NAME] = importlib.util.module_from_spec(specification)
specification.loader.exec_module(sys.modules[NAME])

pytest_plugins = [NAME]
