// RecentsPage: the calls there were, newest first, a page at a time.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class RecentsPage {
    let widget = Box(.vertical)
    /// Whether the user looks at it: missed calls are seen then.
    var isShown = false {
        didSet { if isShown, !oldValue { markSeen() } }
    }

    private unowned let phone: Phone
    private let list = RowList()
    private let empty: StatusPage
    private let trouble = Label().style("warning")
    private var rows: [(call: PastCall, row: TitledRow)] = []
    /// Whether older rows may be there.
    private var hasMore = false
    private var isAsking = false
    /// Counts the lists: an answer for an earlier one is late.
    private var generation = 0
    private var unread: UInt32 = 0
    private lazy var missed: ToggleButton = ToggleButton(phone.localized("Missed")) { [weak self] _ in self?.reload() }
    private lazy var search: Entry = Entry(hint: phone.localized("Search recents"), isSearch: true) { [weak self] _ in
        self?.reload()
    }

    private static let page: UInt32 = 50

    init(_ phone: Phone) {
        self.phone = phone
        empty = StatusPage(icon: "document-open-recent-symbolic", title: phone.localized("No Calls"))
        let bar = Box(.horizontal, spacing: 6).add(search.expand(horizontally: true), missed)
        let scrolled = Scrolled(Clamp(Box(.vertical).add(list.margin(12)), width: 600))
        scrolled.onEnd { [weak self] in self?.readMore() }
        widget.add(Clamp(bar.margin(12), width: 600), trouble, empty, scrolled)
        list.isVisible = false
    }

    /// Shows how many missed calls are new.
    func update(in window: Window) { window.show(widget, isVisible: true, count: Int(unread)) }

    func told(_ values: VariantDictionary) {
        unread = values["UnreadMissed", default: unread]
        trouble.text = values["Degraded", default: trouble.text].displayable
    }

    // MARK: reading

    func reload() {
        generation += 1
        isAsking = false
        phone.model.ask(DaemonPath.recents, StandardInterface.properties, "GetAll", Contract.recents) {
            [weak self] answer in
            if let self, let values = try? answer.read(VariantDictionary.self) {
                told(values)
                if isShown { markSeen() }
            }
        }
        read(before: nil)
    }

    private func readMore() {
        if hasMore, let last = rows.last { read(before: last.call.id) }
    }

    private func read(before: Int64?) {
        guard !isAsking else { return }
        isAsking = true
        var filter = VariantDictionary()
        filter.set("before", before)
        if missed.isOn { filter["missed"] = true }
        if !search.text.isEmpty { filter["text"] = .string(search.text) }
        let current = generation
        phone.model.request(
            DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), Self.page,
            timeout: CallSystemModel.quickTimeout
        ) { [weak self] result in
            guard let self, generation == current else { return }
            isAsking = false
            switch result {
            case .success(let answer):
                let found = (try? answer.read([VariantDictionary].self)) ?? []
                show(found.map(PastCall.init), isFirst: before == nil)
            case .failure(let error): trouble.text = phone.refusal(error)
            }
        }
    }

    private func show(_ found: [PastCall], isFirst: Bool) {
        if isFirst {
            // What has not changed keeps its place and the keyboard.
            if !found.isEmpty, rows.prefix(found.count).map(\.call) == found { return }
            for (_, row) in rows { list.remove(row) }
            rows = []
        }
        hasMore = !found.isEmpty
        for call in found {
            let row = row(for: call)
            rows.append((call, row))
            list.add(row)
        }
        list.isVisible = !rows.isEmpty
        empty.isVisible = rows.isEmpty
    }

    private func row(for call: PastCall) -> TitledRow {
        let party = call.name.isEmpty ? (call.value.isEmpty ? phone.localized("Withheld") : call.value) : call.name
        let row = TitledRow(title: party, subtitle: call.description(in: phone))
        if call.isMissed { row.leading(Icon("call-missed-symbolic").style("error")) }
        let more = MenuButton("", icon: "view-more-symbolic") { [weak self] in
            self?.actions(on: call) ?? Box(.vertical)
        }
        row.trailing(more.named(phone.localized("More about {party}", ["party": party])).style("flat"))
        if !call.value.isEmpty {
            let back = PushButton("", icon: "call-start-symbolic") { [weak self] in self?.callBack(call) }
            row.trailing(back.named(phone.localized("Call {party}", ["party": party])).style("flat"))
            row.onPress { [weak self] in self?.callBack(call) }
        }
        return row
    }

    // MARK: doing

    private func markSeen() {
        guard unread > 0 else { return }
        phone.model.ask(DaemonPath.recents, Contract.recents, "MarkAllRead") { _ in }
    }

    private func callBack(_ call: PastCall) {
        phone.request(
            phone.localized("Call"), DaemonPath.recents, Contract.recents, "CallBack", call.id, VariantDictionary())
    }

    private func actions(on call: PastCall) -> Widget {
        let box = Box(.vertical, spacing: 6)
        func add(_ text: String, _ body: @escaping @LoopActor () -> Void) {
            box.add(PushButton(text, pressed: body).style("flat"))
        }
        if !call.value.isEmpty {
            add(phone.localized("Edit Number")) { [weak self] in self?.phone.window?.dial(call.value) }
            add(phone.localized("Add to Favorites")) { [weak self] in
                guard let self else { return }
                phone.request(
                    phone.localized("Add to Favorites"), DaemonPath.favorites, Contract.favorites, "Add",
                    Struct(call.type, call.value), call.name, "")
            }
        }
        let block = phone.localized(
            "Block {party}", ["party": call.value.isEmpty ? phone.localized("Withheld") : call.value])
        add(block) { [weak self] in
            guard let self else { return }
            phone.request(block, DaemonPath.directory, Contract.rules, "Block", call.rule) {
                [weak self] _ in self?.phone.window?.tell(self?.phone.localized("Blocked") ?? "")
            }
        }
        add(phone.localized("Delete")) { [weak self] in
            guard let self else { return }
            phone.request(phone.localized("Delete"), DaemonPath.recents, Contract.recents, "Delete", [call.id])
        }
        return box
    }
}

/// A row of the recents.
struct PastCall: Readable, Equatable {
    let properties: VariantDictionary

    var id: Int64 { properties["id", default: 0] }
    var name: String { text("name").displayable }
    var type: String { handle("handle").type }
    var value: String { handle("handle").value.displayable }
    var isMissed: Bool { flag("missed") }

    /// The rule that blocks its caller.
    var rule: String { value.isEmpty ? "withheld" : type == "phone-number" ? value : "\(type):\(value)" }

    /// What kind of call it was, when, and for how long.
    @LoopActor func description(in phone: Phone) -> String {
        var parts: [String] = []
        if !text("filtered").isEmpty {
            parts.append(phone.localized("Did not ring"))
        } else if isMissed {
            parts.append(phone.localized("Missed"))
        } else {
            parts.append(text("direction") == "incoming" ? phone.localized("Incoming") : phone.localized("Outgoing"))
        }
        parts.append(LocalTime.text(microseconds: time("started")?.microseconds ?? 0))
        if flag("open") {
            parts.append(phone.localized("goes on"))
        } else if time("connected") != nil {
            parts.append(CallClock.text(seconds: count("duration-ms") / 1_000))
        }
        if !name.isEmpty, !value.isEmpty, name != value { parts.append(value) }
        return parts.joined(separator: " · ")
    }
}
