// CXCallDirectoryPhoneNumber: a telephone number as a directory has it.

/// Country code and number in one, without signs: +1 408 555 0123 is 14085550123 (CallKit: CXCallDirectoryPhoneNumber).
/// From 1 to `CXCallDirectoryPhoneNumberMax`.
public typealias CXCallDirectoryPhoneNumber = Int64

/// The largest number: 2⁶³ − 2.
public let CXCallDirectoryPhoneNumberMax: CXCallDirectoryPhoneNumber = .max - 1
