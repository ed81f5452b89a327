import API
import Testing

/// The screens of the console may use only operations of the contract, so that they have no privileged path.
@Suite("Operations of the console's screens")
struct ConsoleOperationsTests {
    @Test("Every operation that a screen names is in the contract")
    func operations() throws {
        let known = Set(Endpoint.all.map(\.operationID))
        var count = 0
        for file in try Repository.files(in: "Sources/Console", ending: ".swift") {
            for match in try Repository.text(file).matches(of: #/catalog\.call\(\s*"(\w+)"/#) {
                count += 1
                #expect(known.contains(String(match.output.1)), "\(file)")
            }
        }
        #expect(count > 10)
    }
}
