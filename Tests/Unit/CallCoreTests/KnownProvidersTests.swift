// The memory of the order in which plugins registered for the first time is bounded.

import CallModel
import Testing

@testable import CallCore

@Suite struct KnownProvidersTests {
    private func id(_ name: String) throws -> ProviderID { try #require(ProviderID(name)) }

    private func machine(_ names: [String]) throws -> CallMachine {
        var limits = Limits()
        limits.knownProviders = 3
        var machine = CallMachine(limits: limits)
        for name in names { try register(name, in: &machine) }
        return machine
    }

    private func register(_ name: String, _ owner: Owner? = nil, in machine: inout CallMachine) throws {
        let input = Input.providerRegistered(try id(name), ProviderConfiguration(), owner: owner)
        _ = machine.apply(input, at: Instant(uptime: 1, date: 1))
    }

    @Test func theFirstThatIsGoneIsForgotten() throws {
        var machine = try machine(["A", "B", "C"])
        _ = machine.apply(.providerRemoved(try id("B")), at: Instant(uptime: 1, date: 1))
        try register("D", in: &machine)
        #expect(machine.knownProviders.map(\.rawValue) == ["A", "C", "D"])
    }

    @Test func noneIsForgottenThatIsThere() throws {
        let machine = try machine(["A", "B", "C", "D"])
        #expect(machine.knownProviders.map(\.rawValue) == ["A", "B", "C"])
        let start = StartRequest(try Handle(type: .generic, value: "x"))
        #expect(machine.candidates(for: start).last?.provider.id.rawValue == "D")
    }

    @Test func appsAreNotRemembered() throws {
        var machine = try machine(["A"])
        try register("app_B", .client(":1.1"), in: &machine)
        #expect(machine.knownProviders.map(\.rawValue) == ["A"])
    }

    @Test func ofALongListTheLatestCount() throws {
        var machine = try machine([])
        _ = machine.apply(.providersKnown(try ["A", "B", "C", "D"].map(id)), at: Instant(uptime: 1, date: 1))
        #expect(machine.knownProviders.map(\.rawValue) == ["B", "C", "D"])
    }
}
