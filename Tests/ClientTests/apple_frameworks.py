"""Hand-written stub modules of Apple's frameworks, against which code for Apple's systems is type-checked on Linux."""

from pathlib import Path

from processes import run_program

ROOT = Path(__file__).parents[2]
STUBS = Path(__file__).parent / "apple_stubs"
LIBRARY = sorted((ROOT / "Sources/Client/SekishoAuth").rglob("*.swift"))
# Each module follows those that it imports.
MODULES = ["Security", "CryptoKit", "Combine", "UIKit", "AuthenticationServices", "SwiftUI", "GoogleSignIn"]
# The settings of the library's target in Package.swift.
LIBRARY_OPTIONS = [
    word
    for feature in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility")
    for word in ("-enable-upcoming-feature", feature)
]


def emit_module(name, files, folder, *options):
    """Compiles the declarations of a module into a folder. Warnings count as errors."""
    run_program(
        "swiftc", "-emit-module", "-wmo", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
        "-module-name", name, "-I", folder, "-o", folder / f"{name}.swiftmodule", *options, *files)


def emit_stubs(folder):
    """Compiles the stub modules into a folder."""
    assert {path.stem for path in STUBS.glob("*.swift")} == set(MODULES)
    for name in MODULES:
        emit_module(name, [STUBS / f"{name}.swift"], folder)


def type_check(module, files, *options):
    """Checks the types of a module's files. Warnings count as errors."""
    run_program(
        "swiftc", "-typecheck", "-wmo", "-parse-as-library", "-warnings-as-errors", "-module-name", module, *options,
        *files)
