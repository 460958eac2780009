// What the plan commands share: calling SimulateTransaction and printing its answer.

import CallClient
import CallModel
import DBus
import EventLoop

/// An action as an argument of RequestTransaction and SimulateTransaction.
struct RequestedAction {
    let kind: ActionKind
    let args: VariantDictionary

    var wire: Struct<String, VariantDictionary> { Struct(kind.rawValue, args) }

    static func on(_ call: PublishedCall, _ kind: ActionKind, _ more: VariantDictionary = [:]) -> RequestedAction {
        RequestedAction(kind: kind, args: more.merging(["call": .objectPath(call.path)]) { own, _ in own })
    }
}

protocol PlanSubcommand: BusCommand {
    var options: VariantDictionary { get }
    @LoopActor func actions(in snapshot: Snapshot, _ session: Session) async throws(Failure) -> [RequestedAction]
}

extension PlanSubcommand {
    var options: VariantDictionary { [:] }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let actions = try await actions(in: snapshot, session)
        let plan: [VariantDictionary] =
            actions.isEmpty
            ? []
            : try await session.call(
                at: DaemonPath.system, Contract.callSystem, "SimulateTransaction",
                actions.map(\.wire), options,
                waiting: Session.quickTimeout)
        try session.output.result(
            snapshot.planTable(plan, on: session.output.terminal), json: .array(plan.map { JSON($0) }))
    }
}

/// One of the actions that SimulateTransaction returns.
private struct PlannedStep: Readable {
    let properties: VariantDictionary

    /// The providers that have the audio before and after the step; "" if it does not move.
    var audio: String {
        func name(_ key: String) -> String? { properties[key] == nil ? nil : path(key).id }
        return switch (name("releases-audio"), name("grants-audio")) {
        case (let old?, let new?): "\(old) → \(new)"
        case (let old?, nil): "\(old) →"
        case (nil, let new?): "→ \(new)"
        case (nil, nil): ""
        }
    }
}

extension Snapshot {
    /// One numbered line per action, or "nothing to do".
    func planTable(_ plan: [VariantDictionary], on terminal: Terminal) -> String {
        guard !plan.isEmpty else { return "nothing to do" }
        var table = Table(columns: [
            .right("#"), "ACTION", .fixed("CALL").leaves(4), .main("CALLER"), .flexible("PROVIDER").leaves(5),
            .flexible("ARGUMENTS").leaves(3), .flexible("AUDIO").leaves(1), .right("RULE").leaves(2),
        ])
        table.rows = plan.enumerated().map { index, properties in
            let step = PlannedStep(properties: properties)
            let call = step.path("call")
            let known = calls.first { $0.path == call }
            return [
                Cell(String(index + 1)), Cell(step.text("kind"), .bold),
                Cell(call == .root ? "new" : String(call.id.prefix(shortLength))),
                Cell(known?.caller ?? ""), Cell(step.path("provider").id),
                Cell(step.arguments), Cell(step.audio),
                Cell(step.number("rule") == 0 ? "" : String(step.number("rule"))),
            ]
        }
        return table.text(on: terminal)
    }

}

extension PlannedStep {
    /// The arguments as text, without default values, and what is dialed after the number.
    fileprivate var arguments: String {
        var args: VariantDictionary = (try? properties["args"]?.value()) ?? [:]
        args["post-dial"] = properties["post-dial"]
        return args.sorted { $0.key < $1.key }.compactMap { key, value -> String? in
            switch (key, value) {
            case (_, .string("")), ("video", .bool(false)): nil
            case (_, .structure(let fields)): "\(key)=\(fields.map(\.plainText).joined(separator: ":"))"
            default: "\(key)=\(value.plainText)"
            }
        }.joined(separator: " ")
    }
}
