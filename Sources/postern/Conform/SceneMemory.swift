/// The first lines of a scene that its verdicts are counted from.
///
/// `@unchecked Sendable`: touched only on the loop.
final class SceneMemory: @unchecked Sendable {
  /// The number of the line of the first login, or of the refusal instead of it.
  var loggedIn: Int?
}

/// A client that does not use the token that it is given, and gets its first one from its provider.
struct BeginsAtProvider: Error {}
