// A text as one word of a shell command, quoted if it must be.

extension String {
    /// The text as one word of a shell command, in quotes if necessary.
    public var shellWord: String {
        let plain = utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./:".utf8.contains($0) }
        return plain && !isEmpty
            ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
