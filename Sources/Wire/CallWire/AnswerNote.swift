// What the SDK tells the developer of a provider about answers that are not sent.

public enum AnswerNote {
    /// Ends the line about an action that was fulfilled or failed before.
    public static let twice = "was answered before; ignored"
    /// Ends the line about an action that was fulfilled or failed after its time-out.
    public static let late = "was answered after its time-out; ignored"
}
