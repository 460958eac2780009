// callkit-phone: the call window and phone.

import EventLoop
import Glibc
import Widgets

@main
enum CallkitPhone {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        Loop.runAllJobs()
        Localization.begin(in: translations)
        exit(
            Application.run("org.opencallkit.Phone") { application in
                phone = Phone(application)
            })
    }

    /// Where the translations are: beside the installed programs, or where a build puts them.
    private static var translations: String {
        if let folder = ProcessEnvironment.current["OPENCALLKIT_TRANSLATIONS"] { return folder }
        return "\(ProcessEnvironment.executableFolder)/../../share/locale"
    }

    @LoopActor private static var phone: Phone?
}
