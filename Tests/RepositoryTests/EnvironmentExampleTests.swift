import Testing

@testable import Gateway

@Suite("Example of the environment variables")
struct EnvironmentExampleTests {
    @Test("The example has exactly the settings of the program, in the same order and with their defaults")
    func settings() throws {
        let lines = try Repository.text("Deploy/sekisho.env.example").split(separator: "\n").map(String.init)
        let assignments = lines.compactMap { $0.firstMatch(of: #/^#?([A-Z_]+)=(.*)$/#) }
        #expect(assignments.map { String($0.output.1) } == Settings.all.map(\.name))
        for (assignment, setting) in zip(assignments, Settings.all) where setting.fallback != nil {
            #expect(String(assignment.output.2) == setting.fallback, "\(setting.name)")
        }
    }

    @Test("The example describes each setting in the same words as the program")
    func meanings() throws {
        let text = try Repository.text("Deploy/sekisho.env.example")
        for setting in Settings.all { #expect(text.contains("# \(setting.meaning)\n"), "\(setting.name)") }
    }
}
