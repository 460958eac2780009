// LocalTime: moments as the user reads them.

internal import CAdw

package enum LocalTime {
    /// The time of day, with the date before it unless it is today.
    package static func text(microseconds: UInt64) -> String {
        guard let moment = g_date_time_new_from_unix_local(gint64(clamping: microseconds / 1_000_000)),
            let now = g_date_time_new_now_local()
        else { return "" }
        defer {
            g_date_time_unref(moment)
            g_date_time_unref(now)
        }
        let isToday =
            g_date_time_get_year(moment) == g_date_time_get_year(now)
            && g_date_time_get_day_of_year(moment) == g_date_time_get_day_of_year(now)
        guard let text = g_date_time_format(moment, isToday ? "%R" : "%x %R") else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }
}
