// The digits after a number that wait for the user.

extension String {
    /// The digits before the first wait sign, and those behind it.
    public var untilWaitSign: (now: String, later: String) {
        let end = firstIndex(of: ";") ?? endIndex
        return (String(self[..<end]), String(self[end...].drop { $0 == ";" }))
    }

    /// Returns what still waits once these digits were sent: the digits behind the next wait sign, if they are the next ones.
    public func waiting(after digits: String) -> String {
        let (next, later) = untilWaitSign
        return digits.drop { $0 == ";" } == next ? later : self
    }
}
