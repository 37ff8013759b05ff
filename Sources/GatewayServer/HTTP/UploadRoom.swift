/// The room that a loop has for uploads under way, a photograph's for instance: what is above the usual limit of a body is
/// taken out of it, so that many at once take no more memory than that.
///
/// `@unchecked Sendable`: made with its listener and used on one loop.
final class UploadRoom: @unchecked Sendable {
  static let bytesMax = 64 << 20

  private var taken = 0

  /// Takes that many bytes; false if so many are not left.
  func take(_ bytes: Int) -> Bool {
    guard bytes <= Self.bytesMax - taken else { return false }
    taken += bytes
    return true
  }

  /// Gives those bytes back, which are none then.
  func giveBack(_ bytes: inout Int) {
    taken -= bytes
    bytes = 0
  }
}
