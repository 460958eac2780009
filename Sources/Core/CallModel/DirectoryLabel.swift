// The text by which a call directory identifies a number.

extension String {
    /// The longest label, in bytes of UTF-8; a single character can be as long as it likes.
    public static var maximumLabelBytes: Int { 1_024 }

    /// This text as a directory keeps it: displayable, and not longer than `maximumLabelBytes`.
    public var directoryLabel: String {
        // Most labels are plain and short; of long ones only as much is looked at as can remain.
        if utf8.count <= Self.maximumDisplayLength, utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in unicodeScalars where !scalar.isUnsafeInText {
            bytes += UTF8.width(scalar)
            if bytes > Self.maximumLabelBytes { break }
            kept.append(scalar)
        }
        return String(kept).displayable
    }
}
