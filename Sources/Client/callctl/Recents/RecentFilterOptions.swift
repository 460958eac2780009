// The options that filter recents.

public import ArgumentParser
public import CallModel
import DBus
import EventLoop

extension CallDirection: ExpressibleByArgument {}

struct RecentFilterOptions: ParsableArguments, Sendable {
    @Flag(help: "Only missed calls.")
    var missed = false

    @Option(help: ArgumentHelp("Only calls of this provider.", valueName: "provider"), completion: .providers)
    var provider: String?

    @Option(help: ArgumentHelp("Only incoming or only outgoing calls.", valueName: "direction"))
    var direction: CallDirection?

    @Option(help: ArgumentHelp("Only calls whose name or handle contains this.", valueName: "text"))
    var text: String?

    @Option(
        help: ArgumentHelp("Only calls since, such as yesterday, mon, 2026-11-20, 14:05, 2h.", valueName: "time")
    )
    var since: TimeArgument?

    @Option(help: ArgumentHelp("Only calls until then; a day counts to its end.", valueName: "time"))
    var until: TimeArgument?

    /// Returns the filter as an argument of List.
    func filter(in session: Session, at now: WallTime) async throws(Failure) -> VariantDictionary {
        var filter: VariantDictionary = [:]
        filter.set("missed", missed ? true : nil)
        filter.set("direction", direction?.rawValue)
        filter.set("text", text)
        filter.set("since", since?.moment(.start, at: now).microseconds)
        filter.set("until", until?.moment(.end, at: now).microseconds)
        if let provider { filter["provider-id"] = .string(try await session.providerID(provider)) }
        return filter
    }
}
