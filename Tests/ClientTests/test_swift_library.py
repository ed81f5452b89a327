"""SekishoAuth, the library for apps, compiles in Swift 5 and 6 mode and against stubs of Apple's frameworks."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(str(path) for path in (ROOT / "Sources/Client/SekishoAuth").rglob("*.swift"))
STUBS = Path(__file__).parent / "apple_stubs"
FEATURE_OPTIONS = [
    word
    for feature in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility")
    for word in ("-enable-upcoming-feature", feature)
]


def type_check(*arguments):
    """Compiles the library without writing files. Fails if the compiler reports an error."""
    completed = subprocess.run(
        ["swiftc", "-typecheck", "-wmo", "-parse-as-library", "-module-name", "SekishoAuth", *FEATURE_OPTIONS,
         *arguments, *SOURCES],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert completed.returncode == 0, completed.stderr


@pytest.mark.slow
def test_the_library_compiles_in_swift_5_mode_without_warnings():
    type_check("-swift-version", "5", "-warnings-as-errors", "-strict-concurrency=complete")


@pytest.mark.slow
def test_the_library_with_its_parts_for_apples_systems_compiles_in_swift_6_mode_without_warnings(tmp_path):
    for stub in STUBS.glob("*.swift"):
        module = tmp_path / f"{stub.stem}.swiftmodule"
        subprocess.run(
            ["swiftc", "-emit-module", "-parse-as-library", "-module-name", stub.stem, str(stub), "-o", str(module)],
            check=True,
            timeout=300,
        )
    type_check("-swift-version", "6", "-warnings-as-errors", "-I", str(tmp_path))


PUBLIC_DECLARATION = re.compile(r"\s*(?:@\w+ |nonisolated\(nonsending\) )*public (?!import)")


def test_every_public_symbol_has_a_doc_comment():
    missing = []
    for source in SOURCES:
        before = ""
        for number, line in enumerate(Path(source).read_text().splitlines(), 1):
            if PUBLIC_DECLARATION.match(line) and not before.startswith("///"):
                missing.append(f"{Path(source).relative_to(ROOT)}:{number}: {line.strip()}")
            before = line.strip()
    assert not missing, "\n".join(missing)
