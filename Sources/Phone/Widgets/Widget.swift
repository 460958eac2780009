// Widget: something on the screen.

internal import CAdw
package import EventLoop

/// A widget of GTK. It lives as long as this or its parent on the screen does.
@LoopActor
package class Widget {
    let pointer: UnsafeMutablePointer<GtkWidget>

    /// GTK's constructors return a widget, or end the program.
    init(_ pointer: UnsafeMutablePointer<GtkWidget>) {
        self.pointer = pointer
        g_object_ref_sink(pointer)
    }

    isolated deinit {
        g_object_unref(pointer)
    }

    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }
    var opaque: OpaquePointer { OpaquePointer(pointer) }

    func pointer<T>(as type: T.Type = T.self) -> UnsafeMutablePointer<T> { raw.assumingMemoryBound(to: T.self) }

    // MARK: place

    package var isVisible: Bool {
        get { gtk_widget_get_visible(pointer) != 0 }
        set { if newValue != isVisible { gtk_widget_set_visible(pointer, newValue ? 1 : 0) } }
    }

    package var isSensitive: Bool {
        get { gtk_widget_get_sensitive(pointer) != 0 }
        set { if newValue != isSensitive { gtk_widget_set_sensitive(pointer, newValue ? 1 : 0) } }
    }

    package enum Place {
        case fill, start, center, end

        var align: GtkAlign {
            switch self {
            case .fill: GTK_ALIGN_FILL
            case .start: GTK_ALIGN_START
            case .center: GTK_ALIGN_CENTER
            case .end: GTK_ALIGN_END
            }
        }
    }

    @discardableResult package func expand(horizontally: Bool = false, vertically: Bool = false) -> Self {
        if horizontally { gtk_widget_set_hexpand(pointer, 1) }
        if vertically { gtk_widget_set_vexpand(pointer, 1) }
        return self
    }

    @discardableResult package func align(horizontally: Place? = nil, vertically: Place? = nil) -> Self {
        if let horizontally { gtk_widget_set_halign(pointer, horizontally.align) }
        if let vertically { gtk_widget_set_valign(pointer, vertically.align) }
        return self
    }

    @discardableResult package func margin(_ all: Int) -> Self { margin(horizontal: all, vertical: all) }

    @discardableResult package func margin(horizontal: Int, vertical: Int) -> Self {
        gtk_widget_set_margin_start(pointer, Int32(horizontal))
        gtk_widget_set_margin_end(pointer, Int32(horizontal))
        gtk_widget_set_margin_top(pointer, Int32(vertical))
        gtk_widget_set_margin_bottom(pointer, Int32(vertical))
        return self
    }

    @discardableResult package func size(width: Int = -1, height: Int = -1) -> Self {
        gtk_widget_set_size_request(pointer, Int32(width), Int32(height))
        return self
    }

    // MARK: look

    /// A class of the style sheet.
    @discardableResult package func style(_ names: String..., on: Bool = true) -> Self {
        for name in names {
            if on { gtk_widget_add_css_class(pointer, name) } else { gtk_widget_remove_css_class(pointer, name) }
        }
        return self
    }

    /// What is told when the pointer rests on it; "" for nothing.
    package var tooltip: String {
        get { gtk_widget_get_tooltip_text(pointer).map { String(cString: $0) } ?? "" }
        set { if newValue != tooltip { gtk_widget_set_tooltip_text(pointer, newValue.isEmpty ? nil : newValue) } }
    }

    // MARK: what screen readers say

    /// The name for those who do not see it.
    @discardableResult package func named(_ name: String) -> Self {
        setText(GTK_ACCESSIBLE_PROPERTY_LABEL, name)
        return self
    }

    /// What is said after the name.
    @discardableResult package func described(_ text: String) -> Self {
        setText(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text)
        return self
    }

    private func setText(_ property: GtkAccessibleProperty, _ text: String) {
        var property = property
        var value = GValue()
        gtk_accessible_property_init_value(property, &value)
        g_value_set_string(&value, text)
        gtk_accessible_update_property_value(opaque, 1, &property, &value)
        g_value_unset(&value)
    }

    // MARK: keyboard

    package func focus() { gtk_widget_grab_focus(pointer) }

    /// Whether the keyboard acts on it or on something in it.
    package var hasFocus: Bool {
        gtk_widget_get_state_flags(pointer).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue != 0
    }

    package enum PressedKey: Equatable {
        case escape, character(Character)
    }

    /// Calls the handler with keys that are pressed in it without Ctrl, Alt or Super; it returns whether it has taken the key.
    /// - Parameter first: before what is in it gets the key.
    package func onKey(first: Bool = false, _ handler: @escaping @LoopActor (PressedKey) -> Bool) {
        connectKeys(pointer, first: first) { symbol, isModified in
            if symbol == UInt32(GDK_KEY_Escape) { return handler(.escape) }
            guard !isModified, let scalar = Unicode.Scalar(gdk_keyval_to_unicode(symbol)), scalar.value > 32 else {
                return false
            }
            return handler(.character(Character(scalar)))
        }
    }
}
