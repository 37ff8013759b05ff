/// A thumbnail of a picture. Pictures are not scaled here: its URL is the picture's own.
package struct SendbirdThumbnail: Hashable, Codable, Sendable {
  package let url: String
  /// The requested maximum width.
  package let width: Int64
  package let height: Int64
  /// The actual width at the URL; the requested one if the actual is unknown.
  package let realWidth: Int64
  package let realHeight: Int64

  package init(url: String, width: Int64, height: Int64, realWidth: Int64, realHeight: Int64) {
    self.url = url
    self.width = width
    self.height = height
    self.realWidth = realWidth
    self.realHeight = realHeight
  }
}
