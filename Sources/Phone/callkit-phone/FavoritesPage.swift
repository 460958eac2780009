// FavoritesPage: the people whom the user calls often.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class FavoritesPage {
    let widget = Box(.vertical)
    private unowned let phone: Phone
    private let list = RowList()
    private let empty: StatusPage
    private var rows: [TitledRow] = []
    private var watch: Subscription?

    init(_ phone: Phone) {
        self.phone = phone
        empty = StatusPage(
            icon: "starred-symbolic", title: phone.localized("No Favorites"),
            text: phone.localized("Add people from the recents."))
        widget.add(empty, Scrolled(Clamp(Box(.vertical).add(list.margin(12)), width: 600)))
        list.isVisible = false
    }

    func reload() {
        if let bus = phone.model.session.bus {
            watch = bus.subscribe(
                MatchRule(sender: Contract.busName, interface: Contract.favorites, member: "Changed")
            ) { [weak self] _ in self?.read() }
        }
        read()
    }

    private func read() {
        phone.model.ask(DaemonPath.favorites, Contract.favorites, "List") { [weak self] answer in
            self?.show((try? answer.read([VariantDictionary].self)) ?? [])
        }
    }

    private func show(_ favorites: [VariantDictionary]) {
        for row in rows { list.remove(row) }
        rows = favorites.map(row)
        for row in rows { list.add(row) }
        list.isVisible = !rows.isEmpty
        empty.isVisible = rows.isEmpty
    }

    private func row(for favorite: VariantDictionary) -> TitledRow {
        let handle: Struct<String, String>? = try? favorite.value("handle")
        let (type, value) = handle?.fields ?? ("", "")
        let name = favorite["name", default: ""].displayable
        let title = name.isEmpty ? value.displayable : name
        let row = TitledRow(title: title, subtitle: name.isEmpty ? "" : value.displayable)
        let avatar = Avatar(size: 32)
        avatar.show(title, picture: "")
        let call = PushButton("", icon: "call-start-symbolic") { [weak self] in
            guard let self else { return }
            var start: VariantDictionary = ["handle": Struct(type, value).inVariant]
            let provider = favorite["provider-id", default: ""]
            if !provider.isEmpty { start["provider"] = .string(provider) }
            phone.request(
                phone.localized("Call"), DaemonPath.system, Contract.callSystem, "RequestTransaction",
                [Struct("start", start)], VariantDictionary())
        }
        let remove = PushButton("", icon: "user-trash-symbolic") { [weak self] in
            guard let self else { return }
            phone.request(
                phone.localized("Remove"), DaemonPath.favorites, Contract.favorites, "Remove",
                favorite["id", default: Int64(0)])
        }
        return row.leading(avatar)
            .trailing(call.named(phone.localized("Call {party}", ["party": title])).style("flat"))
            .trailing(remove.named(phone.localized("Remove {party}", ["party": title])).style("flat"))
    }
}
