/// Runs one fuzz target under libFuzzer, as `Deploy/fuzz` builds it. The first argument names the target; the others
/// are those of libFuzzer. Without arguments, prints the names of the targets.
import Glibc

/// A function of libFuzzer (`FuzzerInterface.h`), which `-sanitize=fuzzer` links.
@_silgen_name("LLVMFuzzerRunDriver")
func runLibFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// libFuzzer's own `main`, which is not used, refers to this symbol.
@_cdecl("LLVMFuzzerTestOneInput")
func run(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.selected?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

guard CommandLine.argc > 1 else {
    for target in FuzzTarget.allCases { print(target.rawValue) }
    exit(0)
}
guard let target = FuzzTarget(rawValue: CommandLine.arguments[1]) else {
    fatalError("expected a fuzz target, got \"\(CommandLine.arguments[1])\"")
}
FuzzTarget.selected = target
// libFuzzer expects the name of the program in place of the name of the target.
CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
exit(runLibFuzzer(&count, &arguments, run))
