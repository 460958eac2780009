// The one place that says which OpenCallKit this is.

public enum OpenCallKitVersion {
    public static let text = "0.1.0"
    public static let numbers: (major: UInt32, minor: UInt32, patch: UInt32) = (0, 1, 0)
}
