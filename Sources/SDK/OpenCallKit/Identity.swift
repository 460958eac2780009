// Equality where NSObject gives it to CallKit's classes: each object is equal to itself and to nothing else.

/// A class whose objects are equal by identity. Not in CallKit.
public protocol CXIdentifiedByObject: AnyObject, Hashable {}

extension CXIdentifiedByObject {
    public static func == (one: Self, other: Self) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CXAction: CXIdentifiedByObject {}
extension CXCallController: CXIdentifiedByObject {}
extension CXCallObserver: CXIdentifiedByObject {}
extension CXCallUpdate: CXIdentifiedByObject {}
extension CXProvider: CXIdentifiedByObject {}
extension CXProviderConfiguration: CXIdentifiedByObject {}
extension CXTransaction: CXIdentifiedByObject {}
