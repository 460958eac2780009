// Containers: what holds other widgets.

internal import CAdw
internal import EventLoop

package final class Box: Widget {
    package enum Direction {
        case horizontal, vertical
    }

    package init(_ direction: Direction, spacing: Int = 0) {
        super.init(
            gtk_box_new(
                direction == .vertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL, Int32(spacing)))
    }

    @discardableResult package func add(_ children: Widget...) -> Self {
        for child in children { gtk_box_append(pointer(), child.pointer) }
        return self
    }

    package func remove(_ child: Widget) { gtk_box_remove(pointer(), child.pointer) }

    /// Puts the children, which are in it, in this order.
    package func order(_ children: [Widget]) {
        var before: Widget?
        for child in children {
            gtk_box_reorder_child_after(pointer(), child.pointer, before?.pointer)
            before = child
        }
    }

    @discardableResult package func homogeneous() -> Self {
        gtk_box_set_homogeneous(pointer(), 1)
        return self
    }
}

/// Rows of equally wide cells.
package final class Grid: Widget {
    private let columns: Int
    private var cells: [Widget] = []

    package init(columns: Int, spacing: Int) {
        self.columns = columns
        super.init(gtk_grid_new())
        gtk_grid_set_column_homogeneous(pointer(), 1)
        gtk_grid_set_row_spacing(pointer(), UInt32(spacing))
        gtk_grid_set_column_spacing(pointer(), UInt32(spacing))
    }

    /// Fills the cells from the first one on. Those that stay keep the keyboard's focus.
    package func fill(_ widgets: [Widget]) {
        guard widgets.map(ObjectIdentifier.init) != cells.map(ObjectIdentifier.init) else { return }
        let focused = cells.first(where: \.hasFocus)
        for cell in cells { gtk_grid_remove(pointer(), cell.pointer) }
        for (index, widget) in widgets.enumerated() {
            gtk_grid_attach(pointer(), widget.pointer, Int32(index % columns), Int32(index / columns), 1, 1)
        }
        cells = widgets
        if let focused, widgets.contains(where: { $0 === focused }) { focused.focus() }
    }
}

/// One of several pages.
package final class Stack: Widget {
    package init() {
        super.init(gtk_stack_new())
        gtk_stack_set_transition_type(opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        gtk_stack_set_vhomogeneous(opaque, 0)
    }

    package func add(_ page: Widget, _ name: String) { gtk_stack_add_named(opaque, page.pointer, name) }

    package var page: String {
        get { gtk_stack_get_visible_child_name(opaque).map { String(cString: $0) } ?? "" }
        set { if newValue != page { gtk_stack_set_visible_child_name(opaque, newValue) } }
    }
}

/// Something that appears and goes without a jump.
package final class Revealer: Widget {
    package init(_ child: Widget) {
        super.init(gtk_revealer_new())
        gtk_revealer_set_child(opaque, child.pointer)
    }

    package var isRevealed: Bool {
        get { gtk_revealer_get_reveal_child(opaque) != 0 }
        set { if newValue != isRevealed { gtk_revealer_set_reveal_child(opaque, newValue ? 1 : 0) } }
    }
}

/// Something that may be higher than the window.
package final class Scrolled: Widget {
    package init(_ child: Widget) {
        super.init(gtk_scrolled_window_new())
        gtk_scrolled_window_set_policy(opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(opaque, child.pointer)
        expand(vertically: true)
    }

    /// Calls the handler when the end comes near.
    package func onEnd(_ handler: @escaping @LoopActor () -> Void) {
        guard let adjustment = gtk_scrolled_window_get_vadjustment(opaque) else { return }
        connect(UnsafeMutableRawPointer(adjustment), "value-changed") { [weak self] in
            guard let self, let adjustment = gtk_scrolled_window_get_vadjustment(opaque) else { return }
            let page = gtk_adjustment_get_page_size(adjustment)
            if gtk_adjustment_get_value(adjustment) + 2 * page >= gtk_adjustment_get_upper(adjustment) { handler() }
        }
    }
}

/// Not wider than is good to read.
package final class Clamp: Widget {
    package init(_ child: Widget, width: Int) {
        super.init(adw_clamp_new())
        adw_clamp_set_maximum_size(opaque, Int32(width))
        adw_clamp_set_tightening_threshold(opaque, Int32(width))
        adw_clamp_set_child(opaque, child.pointer)
    }
}

/// A page that says why it is empty.
package final class StatusPage: Widget {
    package init(icon: String, title: String, text: String = "") {
        super.init(adw_status_page_new())
        adw_status_page_set_icon_name(opaque, icon)
        adw_status_page_set_title(opaque, title)
        adw_status_page_set_description(opaque, text)
        expand(vertically: true)
    }

    package func setChild(_ child: Widget) { adw_status_page_set_child(opaque, child.pointer) }
}

/// A button that opens a small panel.
package final class MenuButton: Widget {
    private var contents: @LoopActor () -> Widget

    /// - Parameter contents: what is in the panel when it opens.
    package init(_ text: String, icon: String, contents: @escaping @LoopActor () -> Widget) {
        self.contents = contents
        super.init(gtk_menu_button_new())
        let box = Box(.vertical, spacing: 4).align(vertically: .center)
        gtk_box_append(box.pointer(), gtk_image_new_from_icon_name(icon))
        if !text.isEmpty {
            let label = Label(text).style("caption")
            gtk_label_set_wrap(label.opaque, 0)
            box.add(label)
        }
        gtk_menu_button_set_child(opaque, box.pointer)
        let popover = gtk_popover_new()
        gtk_menu_button_set_popover(opaque, popover)
        if let popover {
            connect(UnsafeMutableRawPointer(popover), "show") { [weak self] in
                guard let self else { return }
                gtk_popover_set_child(gtk_menu_button_get_popover(opaque), self.contents().pointer)
            }
        }
        named(text)
    }

    package func close() { gtk_menu_button_popdown(opaque) }
}
