// The app's values and the system's, for the test kit.

package import CallModel
package import DBus

extension TestPlace {
    nonisolated package static func call(_ uuid: UUID) -> CallID { CallID(uuid) }

    nonisolated package static func uuid(_ call: CallID) -> UUID { UUID(call) }

    /// - Parameter wire: microseconds since the epoch; 0 is no date.
    nonisolated package static func date(_ wire: UInt64) -> Date? { wire == 0 ? nil : Date(wire: wire) }

    /// Microseconds since the epoch.
    nonisolated package static func wire(_ date: Date) -> UInt64 { date.wire }

    nonisolated package static func handle(_ handle: Handle) -> CXHandle { CXHandle(handle) }

    nonisolated package static func update(
        _ update: CXCallUpdate
    ) throws(CXErrorCodeIncomingCallError) -> CallUpdate {
        do throws(CallError) { return try update.model() } catch { throw CXErrorCodeIncomingCallError(error) }
    }

    nonisolated package static func reason(_ reason: CXCallEndedReason) -> EndReason { reason.model }

    /// The actions of a request.
    nonisolated package static func actions(
        _ actions: [CXAction]
    ) throws(CXErrorCodeRequestTransactionError) -> [CallAction] {
        do throws(CallError) {
            return try CXCallController.models(of: actions)
        } catch {
            throw CXErrorCodeRequestTransactionError(error)
        }
    }

    nonisolated package static func refusal(_ error: DBusError) -> CXErrorCodeRequestTransactionError {
        CXErrorCodeRequestTransactionError(error)
    }

    nonisolated package static func wire(_ values: [String: CXValue]) -> VariantDictionary {
        values.mapValues(\.variant)
    }

    nonisolated package static func values(_ wire: VariantDictionary) -> [String: CXValue] {
        wire.mapValues(CXValue.init)
    }
}
