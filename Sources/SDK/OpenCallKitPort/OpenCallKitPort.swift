// One import in place of CallKit, AVFoundation, PushKit, UIKit and os: each of them exports Foundation, too.

@_exported public import Foundation
@_exported public import OpenCallKit
