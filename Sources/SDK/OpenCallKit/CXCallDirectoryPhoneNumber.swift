// CXCallDirectoryPhoneNumber: a telephone number in a directory.

/// A telephone number as an integer, with its country code: +1 408 555 0123 is 14085550123 (CallKit:
/// CXCallDirectoryPhoneNumber). From 1 to `CXCallDirectoryPhoneNumberMax`.
public typealias CXCallDirectoryPhoneNumber = Int64

/// The largest number: 2⁶³ − 2.
public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1
