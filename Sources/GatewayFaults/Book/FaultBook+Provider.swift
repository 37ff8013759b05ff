package import GatewayCore
package import GatewayKit
internal import GatewayRuntime

// The faults of an application's token endpoint whose calls pass through a proxy.

extension FaultBook {
  /// The wait before a request that must never be answered is refused after all. Its caller has gone by then.
  private static let patience = Duration.seconds(900)

  /// Waits as long as a fault delays the provider's answer. Returns false if there is never to be an answer.
  nonisolated(nonsending) func delayProvider(for subject: FaultSubject) async -> Bool {
    guard let (fault, standing) = befallen((any ProviderDelay).self, of: subject) else { return true }
    let delay = fault.delay(at: loop.now)
    let isDue = await waits.wait(
      until: loop.now + (delay ?? Self.patience), on: loop, as: "the fault \(standing.word)", because: standing.number)
    return !isDue || delay != nil
  }

  /// Waits as long as a fault delays a request for a token. Returns the fault's answer; nil to ask the endpoint. Only on the
  /// loop.
  ///
  /// - Parameters:
  ///   - user: The user that asks; nil if nobody knows.
  ///   - address: The caller's address as budgets count it.
  package nonisolated(nonsending) func refusal(ofTokenFor user: UserID?, from address: Name?) async -> TokenRefusal? {
    let subject = FaultSubject(user: user, kind: user.map { _ in .regular })
    guard await delayProvider(for: subject) else { return TokenRefusal(.overloaded) }
    guard let fault = fault((any ProviderRefusal).self, of: subject) else { return nil }
    do throws(TokenRefusal) {
      try fault.refuse(user: user, address: address, at: loop.wallTime)
      return nil
    } catch {
      return error
    }
  }

  /// Returns what a fault gives in place of a token that the endpoint has just minted; nil to leave it. Only on the loop.
  package func token(inPlaceOf token: String, of user: UserID?, _ seen: any SeenTokens) -> String? {
    let subject = FaultSubject(user: user, kind: user.map { _ in .regular })
    let other = { (fault: any ProviderAnswer) -> String? in
      if let fault = fault as? any TokenTextFault { return fault.changed(token) }
      return user.flatMap { (fault as? any OtherTokenFault)?.token(of: $0, among: seen) }
    }
    return fault((any ProviderAnswer).self, of: subject) { other($0) != nil }.flatMap(other)
  }

  /// Returns the life that a fault reports to clients instead of their tokens' own; nil for none. Only on the loop.
  package func toldLife(of user: UserID?) -> Duration? {
    let subject = FaultSubject(user: user, kind: user.map { _ in .regular })
    return fault((any LifeFault).self, of: subject) { $0.isOfTokens }?.life
  }

  /// Returns the life that a fault reports to a client in the answer to its request over HTTP that renews a connection; nil for
  /// none. Only on the loop.
  ///
  /// - Parameters:
  ///   - answer: The body of the answer.
  ///   - connection: The connection that it renews; nil if nobody knows.
  ///   - user: The user of the token in the request; nil if nobody knows.
  package func toldLife(in answer: [UInt8], renewing connection: ConnectionID?, of user: UserID?) -> Duration? {
    let known = connection.flatMap { sockets[$0]?.subject }
    let subject = known ?? FaultSubject(user: user, kind: user.map { _ in .regular })
    let frame = Frame(.text, answer)
    return fault((any LifeFault).self, of: subject, connection) { $0.message.takesIn(out: .refreshed, frame) }?.life
  }
}
