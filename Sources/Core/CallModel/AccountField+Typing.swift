// The values of settings as people write them.

extension AccountField {
    /// Returns the value that a text stands for: a boolean is `yes` or `true`, `no` or `false`.
    ///
    /// - Throws: `InvalidArguments`, naming the field and what was expected; for a secret as well.
    public func value(typed text: String) throws(CallError) -> AccountValue {
        let value: AccountValue
        switch kind {
        // Of a secret nothing is repeated.
        case .string, .secret: value = .string(text)
        case .boolean:
            guard let flag = Self.flags[text.lowercased()] else {
                throw invalid("is \"\(text.excerpt)\", expected yes or no")
            }
            value = .boolean(flag)
        case .number:
            guard let number = UInt32(text) else {
                throw invalid("is \"\(text.excerpt)\", expected \(minimum) to \(maximum)")
            }
            value = .number(number)
        }
        try check(value)
        return value
    }

    private static let flags = ["yes": true, "true": true, "no": false, "false": false]
}
