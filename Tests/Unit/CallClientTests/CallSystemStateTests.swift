// The daemon's objects as a client keeps them.

import CallModel
import DBus
import Testing

@testable import CallClient

@Suite struct CallSystemStateTests {
    private let path: ObjectPath = "/org/opencallkit/CallSystem1/calls/0c5f4cbb_8a2b_4f5e_9d1f_0a9a3f7f6d11"

    @Test func aNewCallIsIdentifiedOnce() throws {
        var state = CallSystemState()
        let change = state.added(path, [Contract.call: ["State": "ringing"]])
        var call = PublishedCall(try #require(Contract.call(at: path.text)))
        call.state = .ringing
        #expect(change == .added(.call(call)))
        #expect(state.popUnidentified() == [path])
        #expect(state.popUnidentified().isEmpty)
        let identity: VariantDictionary = ["CallerName": "Alice"]
        #expect(state.identified(path, identity) != nil)
        #expect(state.calls[path]?.caller == "Alice")
        #expect(state.identified(path, identity) == nil, "the same identity is no change")
    }

    @Test func aChangeTellsTheCallBeforeAndAfter() {
        var state = CallSystemState()
        _ = state.added(path, [Contract.call: ["State": "ringing"]])
        guard
            case .changed(_, _, _, _, .call(let call), .call(let before)) = state.changed(
                path, Contract.call, ["State": "active"], invalidated: [])
        else {
            Issue.record("no change of a call")
            return
        }
        #expect(before.state == .ringing)
        #expect(call.state == .active)
        #expect(state.calls[path] == call)
    }

    @Test func anIdentityThatHasChangedIsReadAgain() {
        var state = CallSystemState()
        _ = state.added(path, [Contract.call: ["State": "ringing"]])
        _ = state.popUnidentified()
        _ = state.changed(path, Contract.callIdentity, [:], invalidated: ["CallerName"])
        #expect(state.popUnidentified() == [path])
        _ = state.removed(path, [Contract.call])
        #expect(state.calls.isEmpty)
        #expect(state.removed(path, [Contract.call]) != nil)
    }
}
