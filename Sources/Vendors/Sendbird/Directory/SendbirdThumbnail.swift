/// A thumbnail of a picture. Pictures are not scaled here: its URL is the picture's own.
struct SendbirdThumbnail: Hashable, Codable, Sendable {
  let url: String
  /// The requested maximum width.
  let width: Int64
  let height: Int64
  /// The actual width at the URL; the requested one if the actual is unknown.
  let realWidth: Int64
  let realHeight: Int64
}
