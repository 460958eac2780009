// ClientGate: who calls, and what it may do.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// What the other parts ask of those that call.
@LoopActor
protocol ClientGate: AnyObject {
    /// The client of the bus that calls; nil for a plugin and for a guest.
    func client(of caller: CallContext) -> String?

    /// Whose share what a client of the bus does counts towards.
    func owner(of client: String) -> Owner

    /// Who a client was at a moment, in words.
    func text(of client: String, at moment: Instant) -> String
    /// The program of a client at that moment, or the id of its app; nil if it is not known.
    func program(of client: String, at moment: Instant) -> String?

    /// The owner of the providers that the caller registers.
    ///
    /// - Throws: `AccessDenied` for a worker that has not said hello.
    func providerOwner(of caller: CallContext) throws(CallError) -> ProviderOwner

    /// The prefix of the ids of a sandboxed app's providers; empty for any other caller.
    func idPrefix(for caller: CallContext) -> String

    /// Whose share what the caller does counts towards. A program or an app has one, whatever it connects with.
    func share(of caller: CallContext) -> Owner

    /// A request of the caller, which counts towards its share.
    ///
    /// - Throws: `AccessDenied` for a plugin that has no provider, and so no calls.
    func request(_ actions: [CallAction], from caller: CallContext) throws(CallError) -> Request

    /// Checks a request of a client without the tier `control`: it must concern the client's own calls only.
    ///
    /// - Returns: The request. A call that it starts without naming a provider gets the client's own provider.
    /// - Throws: `AccessDenied`.
    func permitted(_ request: Request, _ caller: CallContext) throws(CallError) -> Request

    /// Checks a request to call back the other party of a recent call. The provider that takes the call learns the
    /// handle, so a client without the tier `identity` must not use a provider of its own.
    ///
    /// - Returns: The request, with the provider that takes the call.
    /// - Throws: `AccessDenied`; `UnknownProvider` if no provider can take the call.
    func permittedCallBack(_ request: Request, _ caller: CallContext) throws(CallError) -> Request

    /// Whether a caller may know who is calling and whom the user knows. Plugins, and sandboxed apps without the tier
    /// `identity`, may not.
    func mayKnowPeople(_ caller: CallContext) -> Bool

    /// Notes the unknown keys of a request.
    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>, from caller: CallContext)

    /// Notes the unknown keys of an answer of a client.
    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>, by owner: Owner)

    /// Notes the unknown keys of a request with actions.
    func noteUnknownKeys(in entries: [TransactionWire.Entry], options: VariantDictionary, from caller: CallContext)

    /// Notes the unknown keys of what somebody sent about an object.
    func noteUnknownKeys(
        in wire: VariantDictionary, besides known: Set<String>, from sender: String, by owner: Owner,
        at object: ObjectPath)

    /// Notes an answer to a question that was put to somebody else, once for each program.
    func noteForgery(_ answer: Message)
}
