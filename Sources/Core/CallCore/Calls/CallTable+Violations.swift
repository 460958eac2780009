// Every index is what a look at all calls says: run after every step in tests and debug builds.

import CallModel

extension CallTable {
    /// The indices that are wrong, each as a sentence.
    func violations() -> [String] {
        var found: [String] = []
        func expect<Value: Equatable>(_ kept: Value, _ seen: Value, _ what: @autoclosure () -> String) {
            if kept != seen { found.append("the index of \(what()) has \(kept), the calls say \(seen)") }
        }
        let live = values.filter { $0.state != .ended }.sorted { $0.createdOrder < $1.createdOrder }
        func ids(_ isMeant: (Call) -> Bool) -> [CallID] { live.filter(isMeant).map(\.id) }
        func ids(_ slots: [Int]) -> [CallID] { calls(in: slots).map(\.id) }
        let ringing = live.filter { $0.state == .ringing }
        expect(self.live.map(\.id), live.map(\.id), "live calls")
        expect(liveCount, live.count, "the number of live calls")
        expect(ringingCount, ringing.count, "the number of ringing calls")
        expect(heldCount, live.count { $0.state == .held }, "the number of held calls")
        expect(line.map(\.id), live.filter(\.hasLine).sorted(by: Self.joinedFirst).map(\.id), "who has the line")
        expect(ids(emergencies), ids { $0.emergency && $0.state != .ringing }, "emergency calls")
        expect(ids(ringingEmergencies), ids { $0.emergency && $0.state == .ringing }, "ringing emergency calls")
        expect(ids(loudLinks.slots(of: loud)), ids { $0.state == .ringing && !$0.silenced }, "calls that ring aloud")
        let displaced = live.filter { $0.state == .held && $0.heldBy == .arbiter }
        expect(
            ids(displacedLinks.slots(of: self.displaced)),
            displaced.sorted { $0.heldOrder < $1.heldOrder }.map(\.id), "displaced calls")
        for call in line { expect(call.standing, self[call.id]?.standing ?? Standing(), "the line on call \(call.id)") }
        expect(Set(groups.keys), Set(live.compactMap(\.group)), "groups")
        for (id, group) in groups {
            let members = live.filter { $0.group == id }.sorted(by: Self.joinedFirst)
            expect(ids(group.members), members.map(\.id), "the members of group \(id.number)")
        }
        for provider in Set(values.map(\.provider)) {
            guard let tally = tallyOfProvider[provider].map({ tallies[$0] }) else {
                found.append("provider \(provider) has calls and no tally")
                continue
            }
            let own = live.filter { $0.provider == provider }
            expect(
                ids(tallyLinks.slots(of: tally.ringing)), ids { $0.provider == provider && $0.state == .ringing },
                "the ringing calls of \(provider)")
            expect(
                Set(ids(tallyLinks.slots(of: tally.talking))),
                Set(ids { $0.provider == provider && ($0.state == .active || $0.state == .held) }),
                "the talking calls of \(provider)")
            let counted = own.filter { $0.state != .ringing && $0.state != .ending }
            expect(
                groupCount(of: provider, without: Party(), leaving: []), Self.groups(counted), "groups of \(provider)")
            let staying = counted.filter { !$0.hasLine }
            expect(
                groupCount(of: provider, without: Party(), leaving: line), Self.groups(staying),
                "groups of \(provider) off the line")
        }
        expect(tallyOfProvider.count, Set(values.map(\.provider)).count, "the number of providers with calls")
        return found
    }

    private static func joinedFirst(_ one: Call, _ other: Call) -> Bool {
        (one.joinedOrder, one.createdOrder) < (other.joinedOrder, other.createdOrder)
    }

    private static func groups(_ calls: [Call]) -> Int {
        calls.count { $0.group == nil } + Set(calls.compactMap(\.group)).count
    }
}
