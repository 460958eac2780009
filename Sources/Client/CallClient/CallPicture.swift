// CallPicture: the picture of a call's far side.

package import CallModel
import Files

extension PublishedCall {
    /// The absolute path of a picture that is there; "" if the call has none. Servers could hang at a FIFO.
    package var picture: String {
        guard image.hasPrefix("/"), image.utf8.count < 4_096, let file = try? FileStatus(image) else { return "" }
        return file.kind == .regular ? image : ""
    }
}
