// org.opencallkit.DirectoryHost1: what an extension's worker calls on its link.

internal import CallDirectory
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class DirectoryHostObject {
    static let path = ObjectPath.directory
    private typealias Members = ProviderMember.Directory

    private weak var load: DirectoryLoad?

    init(_ load: DirectoryLoad) { self.load = load }

    private func current() throws(CallError) -> DirectoryLoad {
        guard let load else { throw CallError(.invalidAction, "the request is over") }
        return load
    }

    static let interface = Interface<DirectoryHostObject>(Contract.directoryHost) {
        Method(Members.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["request"]) {
            (object: DirectoryHostObject, _, version: UInt32, _: String, _: String) throws(CallError)
                -> VariantDictionary in
            try object.current().greet(version)
        }
        Method(Members.begin, in: ["incremental"]) {
            (object: DirectoryHostObject, _, incremental: Bool) throws(CallError) in
            try object.current().begin(incremental: incremental)
        }
        DeferredMethod(Members.block, in: ["numbers"]) {
            (object: DirectoryHostObject, invocation: VoidInvocation, numbers: [Int64]) throws(CallError) in
            try object.current().block(numbers, invocation)
        }
        DeferredMethod(Members.blockRanges, in: ["ranges"]) {
            (object: DirectoryHostObject, invocation: VoidInvocation, ranges: [Struct<Int64, Int64>])
                throws(CallError) in
            try object.current().block(ranges: ranges, invocation)
        }
        DeferredMethod(Members.identify, in: ["entries"]) {
            (object: DirectoryHostObject, invocation: VoidInvocation, entries: [Struct<Int64, String>])
                throws(CallError) in
            try object.current().identify(
                entries.map { IdentificationEntry($0.fields.0, $0.fields.1) }, invocation)
        }
        DeferredMethod(Members.unblock, in: ["numbers"]) {
            (object: DirectoryHostObject, invocation: VoidInvocation, numbers: [Int64]) throws(CallError) in
            try object.current().remove(invocation) { (removals) throws(CallError) in try removals.unblock(numbers) }
        }
        DeferredMethod(Members.unidentify, in: ["numbers"]) {
            (object: DirectoryHostObject, invocation: VoidInvocation, numbers: [Int64]) throws(CallError) in
            try object.current().remove(invocation) { (removals) throws(CallError) in
                try removals.unidentify(numbers)
            }
        }
        DeferredMethod(Members.unblockAll) {
            (object: DirectoryHostObject, invocation: VoidInvocation) throws(CallError) in
            try object.current().remove(invocation) { $0.unblockAll() }
        }
        DeferredMethod(Members.unidentifyAll) {
            (object: DirectoryHostObject, invocation: VoidInvocation) throws(CallError) in
            try object.current().remove(invocation) { $0.unidentifyAll() }
        }
        Method(Members.leaveOut, in: ["count", "complaints"]) {
            (object: DirectoryHostObject, _, count: UInt64, complaints: [String]) throws(CallError) in
            try object.current().leaveOut(count, complaints)
        }
        DeferredMethod(Members.complete) {
            (object: DirectoryHostObject, invocation: VoidInvocation) throws(CallError) in
            try object.current().complete(invocation)
        }
        Method(Members.cancel, in: ["error", "message"]) {
            (object: DirectoryHostObject, _, name: String, message: String) throws(CallError) in
            try object.current().cancel(name, message)
        }
    }
}
