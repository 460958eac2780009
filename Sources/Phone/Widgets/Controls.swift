// Controls: texts, buttons and fields.

internal import CAdw
internal import EventLoop

package final class Label: Widget {
    private let isStatus: Bool

    /// - Parameter isStatus: whether screen readers are to say its changes.
    package init(_ text: String = "", isStatus: Bool = false) {
        self.isStatus = isStatus
        if isStatus {
            var value = GValue()
            g_value_init(&value, gtk_accessible_role_get_type())
            g_value_set_enum(&value, gint(GTK_ACCESSIBLE_ROLE_STATUS.rawValue))
            let object = "accessible-role".withCString { name in
                var names: [UnsafePointer<CChar>?] = [name]
                return g_object_new_with_properties(gtk_label_get_type(), 1, &names, &value)
            }
            g_value_unset(&value)
            super.init(
                object.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self) }
                    ?? gtk_label_new(nil))
        } else {
            super.init(gtk_label_new(nil))
        }
        gtk_label_set_wrap(opaque, 1)
        gtk_label_set_wrap_mode(opaque, PANGO_WRAP_WORD_CHAR)
        gtk_label_set_justify(opaque, GTK_JUSTIFY_CENTER)
        self.text = text
    }

    /// Hidden while it is empty.
    package var text: String {
        get { String(cString: gtk_label_get_text(opaque)) }
        set {
            if newValue != text {
                gtk_label_set_text(opaque, newValue)
                // Of a label with another role than its own, GTK does not tell the text.
                if isStatus { named(newValue) }
            }
            isVisible = !newValue.isEmpty
        }
    }

    /// At most so many lines, the rest as an ellipsis.
    @discardableResult package func lines(_ most: Int) -> Self {
        gtk_label_set_lines(opaque, Int32(most))
        gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
        return self
    }

    @discardableResult package func leading() -> Self {
        gtk_label_set_justify(opaque, GTK_JUSTIFY_LEFT)
        gtk_label_set_xalign(opaque, 0)
        return self
    }
}

/// A picture of the icon theme.
package final class Icon: Widget {
    package init(_ name: String) { super.init(gtk_image_new_from_icon_name(name)) }
}

/// A button with an icon, a text, or one above the other.
package class PushButton: Widget {
    private let label: Label?
    private let icon: UnsafeMutablePointer<GtkWidget>?

    package convenience init(_ text: String, icon: String? = nil, pressed: @escaping @LoopActor () -> Void) {
        self.init(gtk_button_new(), text, icon)
        connect(raw, "clicked", pressed)
    }

    /// - Parameter icon: with one, the text stands below it.
    fileprivate init(_ pointer: UnsafeMutablePointer<GtkWidget>, _ text: String, _ icon: String?) {
        label = text.isEmpty ? nil : Label(text)
        self.icon = icon.map { gtk_image_new_from_icon_name($0) }
        super.init(pointer)
        switch (self.icon, label) {
        case (let icon?, let label?):
            let box = Box(.vertical, spacing: 4).align(vertically: .center)
            gtk_box_append(box.pointer(), icon)
            box.add(label.lines(2).style("caption"))
            gtk_button_set_child(self.pointer(), box.pointer)
        case (let icon?, nil): gtk_button_set_child(self.pointer(), icon)
        case (nil, let label?):
            gtk_label_set_wrap(label.opaque, 0)
            gtk_button_set_child(self.pointer(), label.pointer)
        case (nil, nil): break
        }
        if !text.isEmpty { named(text) }
    }

    package var text: String {
        get { label?.text ?? "" }
        set {
            guard newValue != text else { return }
            label?.text = newValue
            named(newValue)
        }
    }

    package func setIcon(_ name: String) {
        if let icon { gtk_image_set_from_icon_name(OpaquePointer(icon), name) }
    }
}

/// A button that says below its text what it will do.
package final class CaptionedButton: PushButton {
    private let line = Label().lines(2).style("caption")

    package convenience init(_ text: String, pressed: @escaping @LoopActor () -> Void) {
        self.init(gtk_button_new(), text, nil)
        let box = Box(.vertical).align(vertically: .center)
        gtk_button_set_child(pointer(), box.pointer)
        box.add(Label(text), line)
        connect(raw, "clicked", pressed)
    }

    /// Screen readers say it after the name.
    package var caption: String {
        get { line.text }
        set {
            guard newValue != caption else { return }
            line.text = newValue
            described(newValue)
        }
    }
}

/// A button that stays down.
package final class ToggleButton: PushButton {
    private var isSetting = false

    package convenience init(_ text: String, icon: String? = nil, toggled: @escaping @LoopActor (Bool) -> Void) {
        self.init(gtk_toggle_button_new(), text, icon)
        connect(raw, "toggled") { [weak self] in
            guard let self, !isSetting else { return }
            toggled(isOn)
        }
    }

    /// Setting it does not call `toggled`.
    package var isOn: Bool {
        get { gtk_toggle_button_get_active(pointer()) != 0 }
        set {
            guard newValue != isOn else { return }
            isSetting = true
            gtk_toggle_button_set_active(pointer(), newValue ? 1 : 0)
            isSetting = false
        }
    }
}

package final class Toggle: Widget {
    private var isSetting = false

    package init(toggled: @escaping @LoopActor (Bool) -> Void) {
        super.init(gtk_switch_new())
        connect(raw, "notify::active") { [weak self] in
            guard let self, !isSetting else { return }
            toggled(isOn)
        }
    }

    package var isOn: Bool {
        get { gtk_switch_get_active(opaque) != 0 }
        set {
            guard newValue != isOn else { return }
            isSetting = true
            gtk_switch_set_active(opaque, newValue ? 1 : 0)
            isSetting = false
        }
    }
}

/// A line of text to type.
package final class Entry: Widget {
    private var isSetting = false

    /// - Parameter isSearch: with a magnifying glass, and `changed` only when typing pauses.
    package init(hint: String, isSearch: Bool = false, changed: @escaping @LoopActor (String) -> Void) {
        super.init(isSearch ? gtk_search_entry_new() : gtk_entry_new())
        if isSearch {
            var value = GValue()
            g_value_init(&value, GType(16 << 2))
            g_value_set_string(&value, hint)
            g_object_set_property(pointer(), "placeholder-text", &value)
            g_value_unset(&value)
        } else {
            gtk_entry_set_placeholder_text(pointer(), hint)
        }
        named(hint)
        connect(raw, isSearch ? "search-changed" : "changed") { [weak self] in
            guard let self, !isSetting else { return }
            changed(text)
        }
    }

    package var text: String {
        get { String(cString: gtk_editable_get_text(opaque)) }
        set {
            guard newValue != text else { return }
            isSetting = true
            gtk_editable_set_text(opaque, newValue)
            isSetting = false
        }
    }

    /// The place of the caret, in characters.
    package var caret: Int {
        get { Int(gtk_editable_get_position(opaque)) }
        set { gtk_editable_set_position(opaque, Int32(newValue)) }
    }

    package func onEnter(_ handler: @escaping @LoopActor () -> Void) { connect(raw, "activate", handler) }

    /// Focuses it without selecting what is there.
    package func focusAtEnd() {
        focus()
        caret = -1
    }

    @discardableResult package func centered() -> Self {
        gtk_editable_set_alignment(opaque, 0.5)
        return self
    }
}

/// A round picture, or initials.
package final class Avatar: Widget {
    private var picture = ""

    package init(size: Int) {
        super.init(adw_avatar_new(Int32(size), nil, 1))
    }

    package func resize(_ size: Int) { adw_avatar_set_size(opaque, Int32(size)) }

    /// - Parameters:
    ///   - name: whose initials are shown without a picture; "" shows a person.
    ///   - picture: the path of an image, or "".
    package func show(_ name: String, picture: String) {
        adw_avatar_set_text(opaque, name)
        adw_avatar_set_show_initials(opaque, name.isEmpty ? 0 : 1)
        guard picture != self.picture else { return }
        self.picture = picture
        // Small at once: what others drew may be large.
        guard !picture.isEmpty, let image = gdk_pixbuf_new_from_file_at_scale(picture, 192, 192, 1, nil) else {
            return adw_avatar_set_custom_image(opaque, nil)
        }
        let texture = gdk_texture_new_for_pixbuf(image)
        adw_avatar_set_custom_image(opaque, texture)
        g_object_unref(UnsafeMutableRawPointer(image))
        if let texture { g_object_unref(UnsafeMutableRawPointer(texture)) }
    }
}
