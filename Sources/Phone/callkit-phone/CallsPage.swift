// CallsPage: all calls, those first that want something of the user.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class CallsPage {
    let widget: Scrolled
    private unowned let phone: Phone
    private let list = Box(.vertical, spacing: 12)
    private var cards: [ObjectPath: CallCard] = [:]

    init(_ phone: Phone) {
        self.phone = phone
        widget = Scrolled(Clamp(list.margin(12), width: 420))
    }

    /// Shows what calls there are, and returns those that it shows.
    func update() -> [ObjectPath] {
        let calls = phone.model.state.calls.values.filter { $0.isLive || phone.words.end(of: $0) != nil }
            .sorted {
                ($0.prominence, $0.group, $0.order.0, $0.order.1) < ($1.prominence, $1.group, $1.order.0, $1.order.1)
            }
        let paths = calls.map(\.path)
        for path in Set(cards.keys).subtracting(paths) {
            if let card = cards.removeValue(forKey: path) { list.remove(card.widget) }
        }
        for (index, call) in calls.enumerated() {
            let card = cards[call.path] ?? add(call)
            card.update(call, among: calls, isFirst: index == 0)
        }
        list.order(paths.compactMap { cards[$0]?.widget })
        return paths
    }

    private func add(_ call: PublishedCall) -> CallCard {
        let card = CallCard(call.path, phone)
        cards[call.path] = card
        list.add(card.widget)
        return card
    }
}

extension PublishedCall {
    /// Calls that ring come first, those that were over come last.
    fileprivate var prominence: Int {
        if hasEnded { return 4 }
        if state == .ringing { return ringsAloud ? 0 : 1 }
        return state.hasLine ? 2 : 3
    }
}
