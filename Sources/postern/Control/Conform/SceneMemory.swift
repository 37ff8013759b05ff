/// The lines of a scene from which its verdicts count.
///
/// `@unchecked Sendable`: touched only on the loop.
final class SceneMemory: @unchecked Sendable {
  /// The number of the line of the first login, or of the refusal that came instead.
  var loggedIn: Int?
  /// The user that the client has logged in as, where it is the application that chooses.
  var user: String?
  /// The number of the fault by which tokens die early.
  var shortLives: UInt32?
}

/// An error for a client that ignores its given token and gets its first one from its provider.
struct BeginsAtProvider: Error {}
