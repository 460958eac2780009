// As much of UIKit as the seed's app needs around its calls: an app's screens are nobody's affair here.

#if !canImport(UIKit)
    import Foundation

    class UIResponder { init() {} }
    class UIViewController: UIResponder {}
    class UITableView { func reloadData() {} }
    class UITableViewCell { enum EditingStyle { case delete } }

    class UITableViewController: UIViewController {
        func tableView(
            _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
        ) {}
        func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    }

    class UIStoryboardSegue {
        let source: UIViewController

        init(source: UIViewController) { self.source = source }
    }

    class UIApplication {
        static var shared = UIApplication()
        let appDelegate = AppDelegate()
        private(set) var backgroundTasks = 0

        func beginBackgroundTask(expirationHandler: (() -> Void)?) -> Int {
            backgroundTasks += 1
            return backgroundTasks
        }

        func endBackgroundTask(_ identifier: Int) { backgroundTasks -= 1 }
    }

    extension IndexPath { var row: Int { self[1] } }
#endif
