// Rows: lists of things with a title.

internal import CAdw
internal import EventLoop

/// A row with a title, a line below it, and controls.
package final class TitledRow: Widget {
    package init(title: String, subtitle: String = "") {
        super.init(adw_action_row_new())
        adw_preferences_row_set_use_markup(pointer(), 0)
        adw_action_row_set_title_lines(pointer(), 2)
        adw_action_row_set_subtitle_lines(pointer(), 3)
        adw_preferences_row_set_title(pointer(), title)
        adw_action_row_set_subtitle(pointer(), subtitle)
        described(subtitle)
    }

    @discardableResult package func leading(_ widget: Widget) -> Self {
        adw_action_row_add_prefix(pointer(), widget.pointer)
        return self
    }

    @discardableResult package func trailing(_ widget: Widget) -> Self {
        adw_action_row_add_suffix(pointer(), widget.align(vertically: .center).pointer)
        return self
    }

    /// Has a click on the row, and Enter, do something.
    @discardableResult package func onPress(_ handler: @escaping @LoopActor () -> Void) -> Self {
        gtk_list_box_row_set_activatable(pointer(), 1)
        connect(raw, "activated", handler)
        return self
    }

    /// Has a click on the row act on a control of it, which has the row's title as its name.
    @discardableResult package func acting(on widget: Widget) -> Self {
        adw_action_row_set_activatable_widget(pointer(), widget.pointer)
        return self
    }
}

/// A list of rows, drawn as one.
package final class RowList: Widget {
    package init() {
        super.init(gtk_list_box_new())
        gtk_list_box_set_selection_mode(opaque, GTK_SELECTION_NONE)
        style("boxed-list")
    }

    package func add(_ row: Widget) { gtk_list_box_append(opaque, row.pointer) }

    package func insert(_ row: Widget, at index: Int) { gtk_list_box_insert(opaque, row.pointer, Int32(index)) }

    package func remove(_ row: Widget) { gtk_list_box_remove(opaque, row.pointer) }
}

/// Rows with a heading.
package final class Group: Widget {
    private var rows: [Widget] = []

    package init(_ title: String, text: String = "") {
        super.init(adw_preferences_group_new())
        adw_preferences_group_set_title(pointer(), title)
        adw_preferences_group_set_description(pointer(), text)
    }

    package func add(_ row: Widget) {
        rows.append(row)
        adw_preferences_group_add(pointer(), row.pointer)
    }

    package func removeAll() {
        for row in rows { adw_preferences_group_remove(pointer(), row.pointer) }
        rows = []
    }
}
