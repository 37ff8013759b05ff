package import GatewayCore

// The decision whether an upgrade gets a socket, made before the 101.

extension Gateway {
  /// Judges an upgrade request before the 101: path, drain, origin, credentials. Only on the loop.
  package func admit(_ upgrade: HTTPRequest, on loop: EventLoop) -> Admission {
    let table = table(on: loop)
    if configuration.offersEcho && upgrade.path == "/echo" { return .accept(EchoHandler(), subprotocol: nil) }
    guard let number = bindings.firstIndex(where: { $0.dialect.accepts(upgrade) }) else {
      return refuse(.notFound, number(owning: upgrade.path), upgrade, table)
    }
    let binding = bindings[number]
    let trail = table.traces?.begin("connect", for: upgrade, dialect: binding.dialect.name)
    if isDraining { return refuse(.draining, number, upgrade, table, trail) }
    if let mayAdmit, !mayAdmit(table.loop.now) { return refuse(.storeUnavailable, number, upgrade, table, trail) }
    if let origin = upgrade.header("origin"), let allowed = configuration.allowedOrigins, !allowed.contains(origin) {
      return refuse(.originRefused, number, upgrade, table, trail)
    }
    do throws(GatewayError) {
      let details = binding.dialect.details(of: upgrade)
      var admitted = try judge(upgrade, details, binding, table, trail)
      if attendant != nil || trail != nil {
        admitted = Admitted(
          admitted?.credentials, admitted?.verdict, from: attendant?.origin(of: upgrade), on: trail)
      }
      let connection = Connection(
        gateway: self, table: table, bindingNumber: number, upgradeDetails: details,
        conversation: binding.dialect.conversation(for: upgrade), admitted: admitted)
      return .accept(connection, subprotocol: binding.dialect.subprotocol(for: upgrade))
    } catch {
      return refuse(error, number, upgrade, table, trail)
    }
  }

  private func judge(
    _ upgrade: HTTPRequest, _ details: Baggage?, _ binding: DialectBinding, _ table: LoopTable, _ trail: TraceOperation?
  ) throws(GatewayError) -> Admitted? {
    guard let credentials = try binding.dialect.credentials(in: upgrade) else {
      let needsNone = attendant?.takesNoCredentials(of: binding.dialect) ?? false
      return needsNone ? Admitted(Credentials(token: ""), nil) : nil
    }
    guard binding.dialect.refusesBeforeUpgrade else { return Admitted(credentials, nil) }
    let judgement = binding.authenticator.judge(credentials, of: Bearer(upgrade: details), at: table.loop.wallTime)
    guard case .decided(let verdict) = judgement else { return Admitted(credentials, nil) }
    trail?.beginVerification()
    trail?.endVerification(verdict.failure)
    let token = try verdict.get()
    if token.kind == .anonymous { throw .anonymousRefused }
    if let refusal = table.refusal(of: token) { throw refusal }
    return Admitted(credentials, verdict)
  }

  private func refuse(
    _ error: GatewayError, _ binding: Int, _ upgrade: HTTPRequest, _ table: LoopTable, _ trail: TraceOperation? = nil
  ) -> Admission {
    let dialect = bindings[binding].dialect
    table.metrics.dialects[binding].upgradesRefused.add(error.name)
    table.log.write(
      .info, "upgrade_refused",
      [.init("dialect", dialect.name), .init("error", error.name), .init("peer", upgrade.peer)]
        + LogEvent.fields(of: error.mismatch))
    let response = answer(to: error, by: dialect)
    trail?.end(error, status: response.status)
    table.journal?.write(
      .upgradeRefused(
        JournalError(error), status: UInt16(clamping: response.status), isBlind: upgrade.isOfBrowser),
      dialect: UInt8(binding))
    return .refuse(response)
  }

  /// Returns the dialect's response to a refused upgrade, with the time to retry after if the client may come back.
  func answer(to error: GatewayError, by dialect: any Dialect) -> HTTPResponse {
    var response = dialect.response(for: error)
    if error.httpStatus == 503 {
      response.headers.removeAll { $0.name == "retry-after" }
      response.headers.append(HTTPField("retry-after", String(configuration.retryAfter.components.seconds)))
    }
    return response
  }

  /// Refuses an upgrade in place of ``admit(_:on:)``, in the words that `answer` makes of the dialect's own. Only on the
  /// loop.
  package func refuse(
    _ upgrade: HTTPRequest, on loop: EventLoop, _ answer: ((GatewayError) -> HTTPResponse) -> HTTPResponse?
  ) -> Admission {
    let number = bindings.firstIndex { $0.dialect.accepts(upgrade) } ?? number(owning: upgrade.path)
    let table = table(on: loop)
    var told: GatewayError?
    let words = { (error: GatewayError) in
      told = error
      return self.bindings[number].dialect.response(for: error)
    }
    guard let response = answer(words) else { return .ignore }
    table.traces?.begin("connect", for: upgrade, dialect: bindings[number].dialect.name)
      .end(told ?? .internalError, status: response.status)
    table.metrics.dialects[number].upgradesRefused.add((told ?? .internalError).name)
    table.journal?.write(
      .upgradeRefused(
        JournalError(told ?? .internalError), status: UInt16(clamping: response.status), isBlind: upgrade.isOfBrowser),
      dialect: UInt8(number))
    return .refuse(response)
  }
}
