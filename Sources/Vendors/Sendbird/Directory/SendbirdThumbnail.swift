/// A picture that stands for a larger one, in a list of messages for instance. Nothing is drawn smaller here: its address is
/// the picture's own.
package struct SendbirdThumbnail: Hashable, Codable, Sendable {
  package let url: String
  /// What it was to fit into.
  package let width: Int64
  package let height: Int64
  /// What there is at the address; as much as was asked for where that is not known.
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
