// callctl audio: where calls are heard.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AudioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audio", abstract: "List the speakers and headsets, and choose where calls are heard.",
        discussion: """
            ROUTE is an id, or a part of an id or a name that only one route has. The choice counts for the present call, \
            and for later ones while a device of this kind is there.
            """,
        subcommands: [List.self, Use.self, Forget.self], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(abstract: "List the routes.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let (routes, current) = try await session.routes()
            guard !routes.isEmpty else {
                return try session.output.result("no routes: there is no sound server", json: .array([]))
            }
            var table = Table(columns: [
                "", .flexible("ROUTE"), .fixed("KIND").leaves(1), .main("NAME"), .fixed("AVAILABLE").leaves(2),
            ])
            table.rows = routes.map { route in
                [
                    route.id == current ? "*" : "", Cell(route.id, .bold), Cell(route.text("kind")),
                    Cell(route.text("name")), route.flag("available") ? "yes" : Cell("no", .dim),
                ]
            }
            try session.output.result(
                table.text(on: session.output.terminal),
                json: .array(
                    routes.map { route in
                        .object(
                            route.properties.members + [JSON.Member("current", .bool(route.id == current))])
                    }))
        }
    }

    struct Use: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Let calls be heard there.")

        @Argument(help: "An id, or a part of an id or a name.", completion: .routes) var route: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.routes().routes.first(matching: route)
            let _: Void = try await session.call(
                of: .desktop, at: BusService.desktopPath, Contract.audioRoutes, "Choose", found.id)
            try session.output.result(
                "calls use \(found.text("name"))", json: .object([JSON.Member("route", .string(found.id))]))
        }
    }

    struct Forget: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Use the sound server's default again.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let _: Void = try await session.call(
                of: .desktop, at: BusService.desktopPath, Contract.audioRoutes, "Forget")
            try session.output.result("the choices are forgotten", json: .object([]))
        }
    }
}

/// One of the Routes of org.opencallkit.AudioRoutes1.
struct RouteRow: Readable, Sendable {
    let properties: VariantDictionary
    var id: String { text("id") }
}

extension Session {
    func routes() async throws(Failure) -> (routes: [RouteRow], current: String) {
        let values: VariantDictionary = try await call(
            of: .desktop, at: BusService.desktopPath, StandardInterface.properties, "GetAll", Contract.audioRoutes,
            waiting: Session.quickTimeout)
        let routes: [VariantDictionary] = values["Routes"].flatMap { try? $0.value() } ?? []
        return (routes.map(RouteRow.init), values["Current", default: ""])
    }
}

extension [RouteRow] {
    /// Returns the route with this id, or the only one with this text in its id or name.
    fileprivate func first(matching text: String) throws(Failure) -> RouteRow {
        if let route = first(where: { $0.id == text }) { return route }
        let matching = filter {
            $0.id.lowercased().contains(text.lowercased()) || $0.text("name").lowercased().contains(text.lowercased())
        }
        guard let route = matching.first else { throw Failure(.unknown, "no route matches \(text)") }
        guard matching.count == 1 else {
            throw Failure(.unknown, "several routes match \(text): \(matching.map(\.id).joined(separator: ", "))")
        }
        return route
    }
}
