internal import GatewayCore

/// Question to a directory whose errors are told of one kind of thing: that there are too many bots, for instance.
///
///     try await ask { () throws(GatewayError) in try await bots.all(at: now) }
struct SendbirdQuestion: Sendable {
  private let one: String
  private let many: String

  /// - Parameters:
  ///   - one: What is not there, or is there already: in the singular, with a capital letter, `User`.
  ///   - many: What there are too many of: `users`.
  init(of one: String, _ many: String) {
    self.one = one
    self.many = many
  }

  /// What the directory answers; its error in Sendbird's words.
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
