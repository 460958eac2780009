// The place of an action among those that one provider is to perform for one transaction.

public enum ActionPart: Sendable, Hashable {
    /// The provider knows of no other.
    case single
    /// The provider is to know of these too, which follow if all goes well.
    case first([CallAction])
    /// It is the n-th, from 1, of those that were told with the first.
    case following(UInt32)
}
