// UIImage: the images of an app's resources, as far as a provider's icon needs them.

/// A PNG image (UIKit: UIImage). It works on Linux: use it for `CXProviderConfiguration.iconTemplateImageData`. It reads
/// no other format and draws nothing.
public final class UIImage: Sendable {
    private let png: Data
    /// The size in points: the size in pixels divided by the scale.
    public let size: CGSize
    /// The pixels per point: 2 for a file whose name ends in `@2x`, 3 for `@3x`, otherwise 1.
    public let scale: CGFloat

    /// Loads an image of the app's resources: of the plugin's folder, or of the resources of the program.
    ///
    /// Looks for `name` if it has an extension, otherwise for `name.png`, `name@2x.png` and `name@3x.png`, in this order.
    /// - Returns: nil if there is no such file, or if it is not a PNG image, as on iOS.
    public convenience init?(named name: String) {
        for (file, scale) in Self.files(named: name) {
            guard let data = Self.resource(named: file) else { continue }
            self.init(data: data, scale: scale)
            return
        }
        return nil
    }

    /// Loads an image from a file.
    /// - Returns: nil if the file cannot be read, or if it is not a PNG image, as on iOS.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data, scale: Self.scale(ofFile: path))
    }

    /// Creates an image from the bytes of a PNG file.
    /// - Returns: nil for bytes in another format.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    /// Creates an image from the bytes of a PNG file.
    /// - Parameters:
    ///   - data: the bytes.
    ///   - scale: the pixels per point; 0 or less means 1.
    /// - Returns: nil for bytes in another format.
    public init?(data: Data, scale: CGFloat) {
        guard let pixels = PNGSize(data) else { return nil }
        png = data
        self.scale = scale > 0 ? scale : 1
        size = CGSize(width: CGFloat(pixels.width) / self.scale, height: CGFloat(pixels.height) / self.scale)
    }

    /// Returns nil: Linux has no SF Symbols. On iOS the result is nil for a symbol that the system does not have.
    public convenience init?(systemName name: String) { return nil }

    /// Returns the bytes of the PNG file that the image was created from.
    public func pngData() -> Data? { png }

    private static func files(named name: String) -> [(name: String, scale: CGFloat)] {
        guard (name as NSString).pathExtension.isEmpty else { return [(name, scale(ofFile: name))] }
        return [("\(name).png", 1), ("\(name)@2x.png", 2), ("\(name)@3x.png", 3)]
    }

    private static func scale(ofFile path: String) -> CGFloat {
        let stem = (path as NSString).deletingPathExtension
        return stem.hasSuffix("@2x") ? 2 : stem.hasSuffix("@3x") ? 3 : 1
    }

    private static func resource(named name: String) -> Data? {
        if !PluginMain.resourceDirectory.isEmpty { return PluginMain.resource(named: name) }
        guard let folder = Bundle.main.resourceURL else { return nil }
        return FileManager.default.contents(atPath: folder.appending(path: name).path)
    }
}
