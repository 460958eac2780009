// callctl providers emergency: whom the user trusts with emergency calls.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

extension ProvidersCommand {
    struct Emergency: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show or choose the providers that are trusted with emergency calls.",
            discussion: """
                The emergency numbers that a provider declares count if its plugin came with the system, or if you trust it \
                here. Only such providers can say that an incoming call is an emergency call.
                """)

        enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

        @Argument(help: "A provider; without it, all that are trusted are shown.", completion: .providers)
        var provider: String?

        @Argument(help: "on trusts it, off no longer does.")
        var value: Switch?

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            if provider != nil, value == nil { throw ValidationError("expected on or off after the provider") }
        }

        @LoopActor func run(in session: Session) async throws(Failure) {
            var chosen: [String] = try await session.property("EmergencyProviders")
            var remark = ""
            if let provider, let value {
                // One that is not there can be taken off.
                let isKnown = value == .off && chosen.contains(provider)
                let id = isKnown ? provider : try await session.snapshot().provider(provider).id.rawValue
                chosen.removeAll { $0 == id }
                if value == .on { chosen.append(id) }
                try await session.setProperty("EmergencyProviders", to: chosen.sorted())
                if value == .on, try await session.snapshot().provider(id).configuration.emergencyNumbers.isEmpty {
                    remark = "\n\(id) declares no emergency numbers: it gets no emergency calls"
                }
            }
            try session.output.result(
                (chosen.isEmpty ? "no provider besides packaged plugins" : chosen.sorted().joined(separator: "\n"))
                    + remark,
                json: .array(chosen.sorted().map { .string($0) }))
        }
    }
}
