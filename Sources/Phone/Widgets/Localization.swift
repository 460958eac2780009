// Localization: texts in the user's language, with gettext.

internal import CAdw

/// Texts of the program, by the English ones.
package enum Localization {
    private static let domain = "opencallkit"

    /// Reads the language from the environment. Translations are in `folder`, as `sv/LC_MESSAGES/opencallkit.mo`.
    package static func begin(in folder: String) {
        setlocale(LC_ALL, "")
        bindtextdomain(domain, folder)
        bind_textdomain_codeset(domain, "UTF-8")
    }

    /// The text itself if there is no translation; "" stays "".
    package static func text(_ english: String) -> String {
        // Without a translation gettext answers with the address that it was asked with.
        english.isEmpty ? "" : english.withCString { String(cString: dgettext(domain, $0)) }
    }
}
