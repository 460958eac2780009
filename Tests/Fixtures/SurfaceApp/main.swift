// The fixture in an app of its own, with the very code of the plugin.

import Dispatch
import Surface

let surface = Surface()
withExtendedLifetime(surface) { dispatchMain() }
