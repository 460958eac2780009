// SecretStorage: where secrets of accounts are.

/// Where secrets are kept; raw values are the words on the bus.
public enum SecretStorage: String, Sendable, CaseIterable {
    /// The Secret Service of the session.
    case keyring
    /// The memory of callkit-secrets.
    case memory
    /// Files that only the user can read.
    case file
}
