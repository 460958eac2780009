// Window: the window, its pages, and what it asks and tells.

internal import CAdw
internal import EventLoop

/// The window of an application: a header, pages that are switched above or below, and messages over them.
package final class Window: Widget {
    private let toasts: OpaquePointer
    private let pages: OpaquePointer
    private let content: Box

    /// - Parameter banner: above all pages.
    package init(_ application: Application, title: String, banner: Widget, width: Int, height: Int) {
        content = Box(.vertical)
        pages = OpaquePointer(adw_view_stack_new())
        toasts = OpaquePointer(adw_toast_overlay_new())
        super.init(adw_application_window_new(application.pointer))
        gtk_window_set_title(pointer(), title)
        gtk_window_set_default_size(pointer(), Int32(width), Int32(height))
        gtk_widget_set_size_request(pointer, 340, 480)

        let header: UnsafeMutablePointer<GtkWidget> = adw_header_bar_new()
        let switcher = adw_view_switcher_title_new()
        adw_view_switcher_title_set_stack(OpaquePointer(switcher), pages)
        adw_view_switcher_title_set_title(OpaquePointer(switcher), title)
        adw_header_bar_set_title_widget(OpaquePointer(header), switcher)
        let bar = adw_view_switcher_bar_new()
        adw_view_switcher_bar_set_stack(OpaquePointer(bar), pages)
        if let switcher {
            let (switcher, bar) = (UnsafeMutableRawPointer(switcher), bar)
            g_object_bind_property(
                switcher, "title-visible", UnsafeMutableRawPointer(bar), "reveal", G_BINDING_SYNC_CREATE)
        }

        gtk_box_append(content.pointer(), header)
        content.add(banner)
        let view = UnsafeMutableRawPointer(pages).assumingMemoryBound(to: GtkWidget.self)
        gtk_widget_set_vexpand(view, 1)
        gtk_box_append(content.pointer(), view)
        gtk_box_append(content.pointer(), bar)
        adw_toast_overlay_set_child(toasts, content.pointer)
        adw_application_window_set_content(
            pointer(), UnsafeMutableRawPointer(toasts).assumingMemoryBound(to: GtkWidget.self))
    }

    package func add(_ page: Widget, _ name: String, title: String, icon: String) {
        _ = adw_view_stack_add_titled(pages, page.pointer, name, title)
        let added = adw_view_stack_get_page(pages, page.pointer)
        adw_view_stack_page_set_icon_name(added, icon)
    }

    package var page: String {
        get { adw_view_stack_get_visible_child_name(pages).map { String(cString: $0) } ?? "" }
        set { if newValue != page { adw_view_stack_set_visible_child_name(pages, newValue) } }
    }

    /// Whether a page can be chosen, and how much there is to see.
    package func show(_ page: Widget, isVisible: Bool, count: Int = 0) {
        let page = adw_view_stack_get_page(pages, page.pointer)
        adw_view_stack_page_set_visible(page, isVisible ? 1 : 0)
        adw_view_stack_page_set_badge_number(page, UInt32(count))
        adw_view_stack_page_set_needs_attention(page, count > 0 ? 1 : 0)
    }

    package func onPage(_ handler: @escaping @LoopActor (String) -> Void) {
        connect(UnsafeMutableRawPointer(pages), "notify::visible-child-name") { [weak self] in
            if let self { handler(page) }
        }
    }

    /// Shows it, and asks the desktop to put it in front. Only for what the user has asked for.
    package func present() { gtk_window_present(pointer()) }

    package func close() { gtk_window_close(pointer()) }

    /// Called when the user closes it; returns whether it stays.
    package func onClose(_ handler: @escaping @LoopActor () -> Bool) { connectAsked(raw, "close-request", handler) }

    // MARK: messages

    /// Tells something for some seconds.
    package func tell(_ text: String) {
        let toast = adw_toast_new("")
        adw_toast_set_title(toast, g_markup_escape(text))
        adw_toast_set_timeout(toast, 8)
        adw_toast_overlay_add_toast(toasts, toast)
    }

    package struct Choice {
        package let id: String
        package let label: String
        package let isDestructive: Bool

        package init(_ id: String, _ label: String, isDestructive: Bool = false) {
            self.id = id
            self.label = label
            self.isDestructive = isDestructive
        }
    }

    /// Asks a question. The first choice is what Escape means.
    /// - Parameter extra: a control below the text.
    package func ask(
        _ heading: String, _ text: String, _ choices: [Choice], extra: Widget? = nil,
        chosen: @escaping @LoopActor (String) -> Void
    ) {
        guard let dialog = adw_message_dialog_new(pointer(), nil, nil) else { return }
        let message: UnsafeMutablePointer<AdwMessageDialog> = UnsafeMutableRawPointer(dialog).assumingMemoryBound(
            to: AdwMessageDialog.self)
        adw_message_dialog_set_heading(message, heading)
        adw_message_dialog_set_body(message, text)
        for choice in choices {
            adw_message_dialog_add_response(message, choice.id, choice.label)
            if choice.isDestructive {
                adw_message_dialog_set_response_appearance(message, choice.id, ADW_RESPONSE_DESTRUCTIVE)
            }
        }
        if let first = choices.first { adw_message_dialog_set_close_response(message, first.id) }
        if let last = choices.last, !last.isDestructive {
            adw_message_dialog_set_default_response(message, last.id)
            adw_message_dialog_set_response_appearance(message, last.id, ADW_RESPONSE_SUGGESTED)
        }
        if let extra { adw_message_dialog_set_extra_child(message, extra.pointer) }
        connectText(UnsafeMutableRawPointer(dialog), "response", chosen)
        gtk_window_present(UnsafeMutableRawPointer(dialog).assumingMemoryBound(to: GtkWindow.self))
    }
}

private func g_markup_escape(_ text: String) -> String {
    guard let escaped = g_markup_escape_text(text, -1) else { return "" }
    defer { g_free(escaped) }
    return String(cString: escaped)
}
