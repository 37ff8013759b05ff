package import GatewayCore
package import GatewayKit
package import GatewayRuntime

// The hooks of the gateway for faults: decorated parts ask the book, and parts without faults are unchanged.

extension FaultBook: TokenObjector {
  package func refusal(of token: VerifiedToken, shownTo dialect: String, isRefresh: Bool) -> GatewayError? {
    guard !standing.isEmpty else { return nil }
    let subject = FaultSubject(
      user: token.user, kind: token.kind, dialect: Name(dialect), expiresIn: token.expiresAt.map { $0 - loop.wallTime })
    return refusal(of: token, subject, nil, isRefresh: isRefresh)
  }

  /// Returns the error with which a fault refuses the token; nil if none does.
  func refusal(
    of token: VerifiedToken, _ subject: FaultSubject, _ connection: ConnectionID?, isRefresh: Bool
  ) -> GatewayError? {
    let now = loop.now
    let found = befallen((any VerificationFault).self, of: subject, connection) { fault, standing in
      fault.refusal(of: token, isRefresh: isRefresh, standing, at: now) != nil
    }
    return found.flatMap { $0.fault.refusal(of: token, isRefresh: isRefresh, $0.standing, at: now) }
  }
}

extension FaultBook {
  /// The token provider's layer for faults.
  package var minting: any TokenMinting { FaultyProvider(in: self) }

  /// Returns the wire format with every possible fault.
  package func decorate(_ binding: DialectBinding) -> DialectBinding {
    binding.replacing(
      dialect: FaultyDialect(inner: binding.dialect, book: self),
      jsonDialect: binding.jsonDialect.map { FaultyDialect(inner: $0, book: self) },
      authenticator: FaultyAuthenticator(
        inner: binding.authenticator, book: self, dialect: Name(binding.dialect.name)))
  }

  /// Decides on an upgrade request before the 101, as the gateway does unless a fault intervenes. Only on the loop.
  package func admit(_ upgrade: HTTPRequest, to gateway: Gateway) -> Admission {
    let fault = fault((any AdmissionFault).self, of: subject(of: upgrade, gateway))
    if let fault { return gateway.refuse(upgrade, on: loop) { fault.refusal($0) } }
    let login = self.fault((any LoginFault).self, of: subject(of: upgrade, gateway)) {
      $0.use.takesIn(isRefresh: false)
    }
    if let login, login.isBeforeUpgrade { return gateway.refuse(upgrade, on: loop) { login.refusal($0) } }
    failsLogin = login != nil
    defer { failsLogin = false }
    switch gateway.admit(upgrade, on: loop) {
    case .accept(let handler, let subprotocol):
      guard let connection = handler as? Connection else { return .accept(handler, subprotocol: subprotocol) }
      return .accept(FaultySocket(connection, in: self, failing: login?.failure), subprotocol: subprotocol)
    case .refuse(let response): return .refuse(response)
    case .ignore: return .ignore
    case .later(let upgrade): return .later(upgrade)
    }
  }

  /// Returns the user and connection of an upgrade request, as far as they are known before it.
  private func subject(of upgrade: HTTPRequest, _ gateway: Gateway) -> FaultSubject {
    guard let binding = gateway.bindings.first(where: { $0.dialect.accepts(upgrade) }) else { return FaultSubject() }
    var subject = FaultSubject(dialect: Name(binding.dialect.name), connection: connectionCount + 1)
    guard isForUsers((any AdmissionFault).self) || isForUsers((any LoginFault).self),
      let credentials = try? binding.dialect.credentials(in: upgrade)
    else { return subject }
    let bearer = Bearer(upgrade: binding.dialect.details(of: upgrade))
    // Faults don't affect this check, which only identifies the user.
    let authenticator = (binding.authenticator as? FaultyAuthenticator)?.inner ?? binding.authenticator
    guard case .decided(.success(let token)) = authenticator.judge(credentials, of: bearer, at: loop.wallTime)
    else { return subject }
    subject.user = token.user
    subject.kind = token.kind
    subject.expiresIn = token.expiresAt.map { $0 - loop.wallTime }
    return subject
  }
}
