internal import GatewayCore

/// The tokens that reach a session by another way than its connection, until the session has judged them.
struct ExpectedTokens {
  typealias Answer = @Sendable (GatewayError?) -> Void

  private var pending: [(request: RequestID, token: Credentials, answer: Answer)] = []
  private var count = 0

  /// The maximum number of such tokens at a time.
  private static let most = 8

  /// Adds a token; returns the name of its request. Nil, with `tooMany` as the answer, if too many are pending.
  mutating func add(_ token: Credentials, _ answer: @escaping Answer) -> RequestID? {
    guard pending.count < Self.most else {
      answer(.tooMany)
      return nil
    }
    count += 1
    // No message of a client has such a name.
    let request = RequestID("expected \(count)")
    pending.append((request, token, answer))
    return request
  }

  /// Answers the request; returns its token. Nil for the name of another one.
  mutating func settle(_ request: RequestID?, _ error: GatewayError?) -> Credentials? {
    guard let index = pending.firstIndex(where: { $0.request == request }) else { return nil }
    let settled = pending.remove(at: index)
    settled.answer(error)
    return settled.token
  }

  /// Answers all requests with an error.
  mutating func end(with error: GatewayError) {
    let left = pending
    pending = []
    for one in left { one.answer(error) }
  }
}
