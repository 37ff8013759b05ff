package import GatewayCore
internal import GatewayJSON
package import GatewayRuntime
internal import GatewayTokens
internal import Synchronization

// Signals that the gateway hands to itself by the real route, where faults are ordered.

/// The route of a gateway's own signals.
package protocol SignalDoor: AnyObject, Sendable {
  /// Returns the answer to a request on the gateway's own port. Only from a task on the first loop.
  nonisolated(nonsending) func answer(signal: HTTPRequest) async -> HTTPResponse
}

extension Signals: SignalHand {
  package func takes(_ sort: SignalSort) -> Bool { issuer(of: sort) != nil }

  package func kept(_ sort: SignalSort) -> [KeptSignal] { copies.withLock { $0.all(sort) } }

  package func replay(_ signal: KeptSignal) {
    guard let token = copies.withLock({ $0.token(of: signal) }) else { return }
    send(SignalCopies.Sent(sort: signal.sort, token: token, sender: .fault))
  }

  package func forge(_ sort: SignalSort, about user: UserID) {
    guard let issuer = issuer(of: sort), let token = forged(sort, by: issuer, about: user) else { return }
    send(SignalCopies.Sent(sort: sort, token: token, sender: .fault))
  }

  /// The issuer of signals of that sort; nil if none are taken.
  private func issuer(of sort: SignalSort) -> FetchedIssuer? {
    switch sort {
    case .logout: settings.login?.issuers.first { !$0.settings.logoutAudiences.isEmpty }
    case .event: settings.transmitter?.issuer
    }
  }

  // MARK: Signals that have come

  /// Keeps a copy of a signal that was carried out, if faults may be ordered.
  func keepCopy(of token: String, _ sort: SignalSort, about user: UserID?, in request: HTTPRequest) {
    guard objector != nil, SignalSender(of: request) != .fault else { return }
    copies.withLock { $0.keep(token, sort, about: user) }
  }

  /// Returns whether a fault has the verified signal taken later.
  func postpones(_ token: String, _ sort: SignalSort, about user: UserID?, in request: HTTPRequest) -> Bool {
    guard SignalSender(of: request) == .outside, let wait = objector?.wait(before: sort, about: user),
      copies.withLock({ $0.beginLate() })
    else { return false }
    LoopStage(loop: gateway.tables[0].loop).start {
      await wait()
      self.copies.withLock { $0.endLate() }
      self.send(SignalCopies.Sent(sort: sort, token: token, sender: .late))
    }
    return true
  }

  // MARK: Sending

  /// Hands a signal in, after those that wait.
  private func send(_ sent: SignalCopies.Sent) {
    guard copies.withLock({ $0.add(sent) }) else { return }
    LoopStage(loop: gateway.tables[0].loop).start {
      while let next = self.copies.withLock({ $0.next() }) {
        _ = await self.door?.answer(signal: self.request(next))
      }
    }
  }

  private func request(_ sent: SignalCopies.Sent) -> HTTPRequest {
    var request = HTTPRequest(method: "POST", path: "", peer: sent.sender.name)
    switch sent.sort {
    case .logout:
      request.path = Self.logoutPath
      request.headers = [HTTPField("content-type", "application/x-www-form-urlencoded")]
      // The characters of a compact token are those of a form.
      request.body = Array("logout_token=\(sent.token)".utf8)
    case .event:
      request.path = Self.eventsPath
      request.headers = [HTTPField("content-type", "application/secevent+jwt")]
      if let secret = secret.withLock({ $0 }) {
        request.headers.append(HTTPField("authorization", "Bearer \(secret)"))
      }
      request.body = Array(sent.token.utf8)
    }
    return request
  }

  // MARK: Forgery

  private static let forgerID = "a-key-of-no-issuer"
  /// Signs by a key that is in no set, which is made once.
  private static let forgers: [SignalSort: JWTSigner] = {
    guard var key = try? KeyMaterial.jwks(P256KeyPair.generate().jwk).first else { return [:] }
    key.id = forgerID
    let types: [(SignalSort, String)] = [(.logout, "logout+jwt"), (.event, "secevent+jwt")]
    return types.reduce(into: [:]) { forgers, one in
      forgers[one.0] = try? JWTSigner(key, algorithm: .es256, type: one.1)
    }
  }()

  /// Returns a signal that lacks nothing but the right signature.
  func forged(_ sort: SignalSort, by issuer: FetchedIssuer, about user: UserID) -> String? {
    let now = gateway.wallTime.nanoseconds / 1_000_000_000
    let number = copies.withLock { $0.newNumber() }
    let name = issuer.settings.issuer.text
    let claims = JSONWriter.object(capacity: 512) { json in
      json.member("iss", name)
      json.member("jti", "forged-\(now)-\(number)")
      json.member("iat", now)
      json.member("exp", now + 120)
      json.name("events")
      json.beginObject()
      switch sort {
      case .logout:
        json.name(SignalKind.logoutEvent)
        json.beginObject()
        json.endObject()
        json.endObject()
        json.member("aud", issuer.settings.logoutAudiences.first?.text ?? "")
        json.member("sub", Self.name(of: user, at: issuer))
      case .event:
        let login = settings.login?.issuers.first { $0.settings.namesUsersBySub } ?? issuer
        json.name(SignalKind.sessionRevoked.event)
        json.beginObject()
        json.endObject()
        json.endObject()
        json.member("aud", settings.transmitter?.audiences.first?.text ?? "")
        json.name("sub_id")
        json.beginObject()
        json.member("format", "iss_sub")
        json.member("iss", login.settings.issuer.text)
        json.member("sub", Self.name(of: user, at: login))
        json.endObject()
      }
    }
    return Self.forgers[sort]?.sign(claims)
  }

  /// Returns the issuer's own name of a user.
  private static func name(of user: UserID, at issuer: FetchedIssuer) -> String {
    let prefix = issuer.settings.users.prefix
    guard user.rawValue.utf8.starts(with: prefix.utf8) else { return user.rawValue }
    return String(Substring(user.rawValue.utf8.dropFirst(prefix.utf8.count)))
  }
}
