/// The room that a loop has for uploads under way. A body above the usual limit reserves its whole size in it, so that many
/// uploads at once use no more memory than that.
///
/// `@unchecked Sendable`: made with its listener and used on one loop.
final class UploadRoom: @unchecked Sendable {
  static let bytesMax = 64 << 20

  private var taken = 0

  /// Reserves that many bytes; returns false if fewer are left.
  func take(_ bytes: Int) -> Bool {
    guard bytes <= Self.bytesMax - taken else { return false }
    taken += bytes
    return true
  }

  /// Releases those bytes, and sets the count to 0.
  func giveBack(_ bytes: inout Int) {
    taken -= bytes
    bytes = 0
  }
}
