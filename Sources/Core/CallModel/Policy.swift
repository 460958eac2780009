// The rows of the decision table that depend on the policy, as data.

/// In what a call system departs from the table of docs/arbitration.md. Everything else is the same everywhere.
public struct Policy: Sendable, Hashable {
    /// Row "return": after whose end a call that the arbiter held comes back by itself (rules 10 and 11).
    public enum Return: Sendable, Hashable { case localEnd, anyEnd }
    /// Row "unholdable": what a plain answer does to a call in the way that cannot be held (rule 7).
    public enum Unholdable: Sendable, Hashable { case refuses, ends }
    /// Row "held calls": how many the arbiter lets wait (rules 1, 6 and 8). A group counts once; what users and networks
    /// hold by themselves counts, but is never refused.
    public enum HeldCalls: Sendable, Hashable {
        case unlimited
        /// A newcomer that would make one more is refused.
        case oneOrRefuse
        /// The one that has waited longest ends first.
        case oneOrEnd
    }
    /// Row "second ringing": what becomes of a call that comes in while another rings (rule 9).
    public enum SecondRinging: Sendable, Hashable { case waits, isRefused }

    /// As the bus and the configuration spell it.
    public let name: String
    public let `return`: Return
    public let unholdable: Unholdable
    public let heldCalls: HeldCalls
    public let secondRinging: SecondRinging

    /// The table as it is written: nobody is overheard, cut off or refused unless the user said so.
    public static let desktop = Policy(
        name: "desktop", return: .localEnd, unholdable: .refuses, heldCalls: .unlimited, secondRinging: .waits)
    /// As on an iPhone: at most two calls, and when one ends, the other is active again.
    public static let ios = Policy(
        name: "ios", return: .anyEnd, unholdable: .ends, heldCalls: .oneOrRefuse, secondRinging: .waits)
    /// As Android's Telecom: one ringing, one active, one held; what is too much ends.
    public static let android = Policy(
        name: "android", return: .localEnd, unholdable: .ends, heldCalls: .oneOrEnd, secondRinging: .isRefused)

    public static let all = [desktop, ios, android]

    /// The policy of that name, if there is one.
    public init?(named name: String) {
        guard let policy = Self.all.first(where: { $0.name == name }) else { return nil }
        self = policy
    }

    init(name: String, return: Return, unholdable: Unholdable, heldCalls: HeldCalls, secondRinging: SecondRinging) {
        self.name = name
        self.return = `return`
        self.unholdable = unholdable
        self.heldCalls = heldCalls
        self.secondRinging = secondRinging
    }
}
