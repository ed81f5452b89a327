"""SekishoAuth, the library for apps, and the sample app compile in all language modes and against stubs of Apple's
frameworks."""

import re
from pathlib import Path

import pytest

from apple_frameworks import LIBRARY, LIBRARY_OPTIONS, MODULES, ROOT, emit_module, emit_stubs, type_check
from documents import GUIDES

SAMPLE = sorted((ROOT / "Examples/SekishoSample/Sources/SekishoSample").rglob("*.swift"))
MODES = [["-swift-version", "5"], ["-swift-version", "5", "-strict-concurrency=complete"], ["-swift-version", "6"]]
SYSTEM_MODULES = {"FoundationNetworking", "Glibc"}
# Lines that no compiler of the tests sees, because they are for systems other than Linux, by file and condition. The
# guide lists them.
UNCHECKED = {
    "AppleSignIn.swift": {
        "os(watchOS)", "(os(iOS) || os(visionOS)) && !targetEnvironment(macCatalyst)", "canImport(AppKit)"},
    "AuthClock.swift": {"canImport(Darwin)"},
    "DeviceName.swift": {"os(iOS)", "os(macOS)", "os(tvOS)", "os(watchOS)", "os(visionOS)"},
    "FileStore.swift": {"canImport(Darwin)", "not (os(Linux))"},
    "SystemBrowser.swift": {"canImport(AppKit)"},
}


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stubs")
    emit_stubs(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=" ".join)
def test_the_library_compiles_without_warnings(mode):
    type_check("SekishoAuth", LIBRARY, *LIBRARY_OPTIONS, *mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=" ".join)
def test_the_library_with_its_parts_for_apples_systems_compiles_without_warnings(mode, stubs):
    type_check("SekishoAuth", LIBRARY, *LIBRARY_OPTIONS, *mode, "-I", stubs)


@pytest.mark.slow
def test_the_screens_of_the_sample_app_compile_without_warnings(stubs):
    emit_module("SekishoAuth", LIBRARY, stubs, *LIBRARY_OPTIONS)
    type_check(
        "SekishoSample", SAMPLE, "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-I", stubs)


def unchecked_branches(text):
    """Yields (condition, number of lines) for each branch of a conditional compilation that no test compiles."""
    # The conditions of the open blocks. `canImport` of a framework is true with the stubs.
    stack = []
    for line in text.splitlines():
        words = line.strip()
        if words.startswith(("#if ", "#elseif ")):
            condition = words.split(" ", 1)[1]
            if words.startswith("#if "):
                stack.append([condition, 0])
            else:
                yield tuple(stack.pop())
                stack.append([condition, 0])
        elif words == "#else":
            condition, count = stack.pop()
            yield condition, count
            stack.append([f"not ({condition})", 0])
        elif words == "#endif":
            yield tuple(stack.pop())
        elif stack:
            stack[-1][1] += 1


def is_checked(condition):
    """Whether a test compiles the branch on Linux: without stubs, or with them."""
    return any(is_true(condition, modules) for modules in ([*SYSTEM_MODULES], [*SYSTEM_MODULES, *MODULES]))


def is_true(condition, modules):
    """Evaluates a condition of the compiler on Linux, where `modules` can be imported."""
    python = re.sub(r"canImport\((\w+)\)", lambda match: str(match[1] in modules), condition)
    python = re.sub(r"compiler\(>=[0-9.]+\)", "True", python)
    python = re.sub(r"os\((\w+)\)", lambda match: str(match[1] == "Linux"), python)
    python = re.sub(r"targetEnvironment\(\w+\)", "False", python)
    return eval(python.replace("&&", " and ").replace("||", " or ").replace("!", " not ").strip())


def test_few_lines_are_for_other_systems_only():
    found = {}
    for file in [*LIBRARY, *SAMPLE]:
        for condition, count in unchecked_branches(file.read_text()):
            if not is_checked(condition):
                assert count <= 10, (file, condition)
                found.setdefault(file.name, set()).add(condition)
    assert found == UNCHECKED
    guide = (GUIDES / "from-firebase-auth.md").read_text()
    for name in UNCHECKED:
        assert f"`{name}`" in guide, name


# Declarations and calls for which a compiler of Swift 6.0 has no syntax. Package.swift of the library states 6.0.
NEWER_SYNTAX = re.compile(
    r"nonisolated\(nonsending\)|@concurrent|\bInlineArray\b|\bSpan<|weak let|@specialized|: @MainActor \w+ \{|defaultIsolation")


def test_the_library_uses_no_syntax_of_later_compilers_than_it_states():
    assert "swift-tools-version: 6.0\n" in (ROOT / "Sources/Client/Package.swift").read_text()
    for file in LIBRARY:
        text = file.read_text()
        assert not NEWER_SYNTAX.search(text), file
        # Swift 6.1 permits a comma after the last parameter or argument.
        assert not re.search(r",\s*\)", text), file


PUBLIC_DECLARATION = re.compile(r"\s*(?:@\w+ |nonisolated )*public (?!import)")


def test_every_public_symbol_has_a_doc_comment():
    missing = []
    for source in LIBRARY:
        before = ""
        for number, line in enumerate(Path(source).read_text().splitlines(), 1):
            if PUBLIC_DECLARATION.match(line) and not before.startswith(("///", "// swift-format-ignore")):
                missing.append(f"{Path(source).relative_to(ROOT)}:{number}: {line.strip()}")
            # An attribute stands between the comment and the declaration.
            before = before if line.strip().startswith("@available(") else line.strip()
    assert not missing, "\n".join(missing)
