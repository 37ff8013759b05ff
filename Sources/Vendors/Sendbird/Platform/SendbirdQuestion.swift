internal import GatewayCore

/// A conversion of a directory's errors, with the name of what it contains.
///
///     try await ask { () throws(GatewayError) in try await bots.all(at: now) }
struct SendbirdQuestion: Sendable {
  private let one: String
  private let many: String

  /// Creates a conversion.
  ///
  /// - Parameters:
  ///   - one: The name of a missing or existing object: in the singular, capitalised, e.g. `User`.
  ///   - many: The name of many objects, e.g. `users`.
  init(of one: String, _ many: String) {
    self.one = one
    self.many = many
  }

  /// Returns the directory's answer, its error as Sendbird's.
  func callAsFunction<Answer>(
    _ question: nonisolated(nonsending) () async throws(GatewayError) -> Answer
  ) async throws(SendbirdError) -> Answer {
    do throws(GatewayError) {
      return try await question()
    } catch {
      if error.isSame(as: .notFound) { throw .notFound(one) }
      if error.isSame(as: .alreadyExists) { throw .alreadyExists(one) }
      throw error.isSame(as: .tooMany) ? .tooMany(many) : SendbirdError(error)
    }
  }
}
