import Identity
import Providers
import Testing

@testable import DevMode

@Suite("Simulators of dev")
struct DevSimulatorTests {
    @Test("Each provider has a simulator in dev, and nothing else has one")
    func complete() {
        let simulated = [ProviderID.apple] + DevSimulators.otherTypes.map { $0.provider }
        #expect(Set(simulated) == Set(SupportedProviders.live.all.map(\.id)))
    }
}
