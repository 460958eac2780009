// RoutePlan: which route a call uses.

/// What the user has chosen, and what has happened during the call.
struct RoutePlan: Sendable, Equatable {
    /// The kinds that the user has chosen, the last one first.
    var remembered: [AudioRoute.Kind] = []
    /// The route that the user has chosen in this call.
    var chosen: String?
    /// The worn device that has appeared in this call.
    var appeared: String?

    /// Returns the route to use; nil leaves it to the sound server.
    func route(among routes: [AudioRoute]) -> AudioRoute? {
        let available = routes.filter(\.isAvailable)
        for id in [chosen, appeared] {
            if let id, let route = available.first(where: { $0.id == id }) { return route }
        }
        for kind in remembered {
            if let route = available.first(where: { $0.kind == kind }) { return route }
        }
        return nil
    }

    /// Notes that the user has chosen a route.
    mutating func choose(_ route: AudioRoute) {
        chosen = route.id
        remembered.removeAll { $0 == route.kind }
        remembered.insert(route.kind, at: 0)
    }

    /// Notes which worn devices have appeared since the routes were seen last.
    mutating func notice(_ now: [AudioRoute], before: [AudioRoute]) {
        let known = Set(before.filter(\.isAvailable).map(\.id))
        if let new = now.first(where: { $0.isAvailable && $0.kind.isWorn && !known.contains($0.id) }) {
            appeared = new.id
        }
    }

    /// Forgets what belongs to the call that has ended.
    mutating func endCall() {
        chosen = nil
        appeared = nil
    }
}
