internal import GatewayCore
package import GatewayFaults
package import GatewayRuntime
package import GatewayWires

/// The means of an operator at a proxy: its journal, its faults and its log. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class ProxyControl: @unchecked Sendable {
  package let journal: Journal
  package let faults: FaultBook
  /// What says what messages mean; nil if nobody reads them.
  let wire: ServedDialect?
  let log: LoopLog
  private var routes = RouteNames()

  /// Creates a journal that begins now, and a book without faults.
  ///
  /// - Parameters:
  ///   - wire: What says what messages mean; nil to read none.
  ///   - payloadBytes: The room for what messages said; nil to keep nothing of that.
  ///   - seed: The seed of the faults.
  ///   - log: The log of orders; nil for none.
  package init(on loop: EventLoop, wire: ServedDialect? = nil, payloadBytes: Int?, seed: UInt64, log: GatewayLog?) {
    journal = Journal(on: loop, bytes: GatewayConfiguration.usualJournalBytes, payloadBytes: payloadBytes)
    self.wire = wire
    journal.wires = [wire.map(BlindWire.journal(of:)) ?? BlindWire.journal]
    journal.begin()
    faults = FaultBook(on: loop, seed: seed, policy: ProxyFaults(hasWire: wire != nil))
    faults.attach(to: journal)
    self.log = LoopLog(log, on: loop)
  }

  /// Ends the waits for the journal, and the log. After the last connection has ended.
  package func end() {
    journal.end()
    log.end()
  }

  // MARK: Faults

  /// Returns the answer to an upgrade before anybody is dialled, if a fault says so; nil to go on.
  func admission(_ upgrade: HTTPRequest) -> Admission? {
    guard let fault = faults.fault((any AdmissionFault).self, of: subject(of: upgrade)) else { return nil }
    guard let response = fault.refusal(Self.words) else { return .ignore }
    note(refused: response, of: upgrade)
    return .refuse(response)
  }

  private func subject(of upgrade: HTTPRequest) -> FaultSubject {
    var subject = FaultSubject(dialect: Name(wireName), connection: faults.connectionCount + 1)
    guard let shown = eyes(for: upgrade, ConnectionID(loop: 0, serial: 0))?.shown else { return subject }
    subject.user = shown.user
    subject.kind = .regular
    subject.expiresIn = shown.end.map { $0 - journal.loop.wallTime }
    return subject
  }

  /// The name of the wire, which `dialect` in lines and orders says.
  var wireName: String { wire?.name ?? BlindWire.name }

  /// Returns the reader of a connection; nil if its path is not the wire's.
  func eyes(for upgrade: HTTPRequest, _ id: ConnectionID) -> WireEyes? {
    guard let wire, wire.accepts(upgrade) else { return nil }
    return wire.eyes(for: upgrade, id)
  }

  /// Returns the answer to a request: the usual one, unless a fault intervenes.
  nonisolated(nonsending) func answer(
    _ request: HTTPRequest, usually: nonisolated(nonsending) () async -> HTTPResponse
  ) async -> HTTPResponse {
    let answer = await faults.answer(
      request, method: request.method, pattern: request.path, Self.words, usually: usually)
    journal.write(route: routes.route(of: request), status: answer.status, dialect: BlindWire.number)
    return answer
  }

  /// Returns the answer of a fault.
  private static func words(_ error: GatewayError) -> HTTPResponse {
    var response = HTTPResponse(
      status: error.httpStatus, contentType: "text/plain; charset=utf-8",
      text: "fault: \(error.name), as postern proxy was ordered\n")
    response.headers.append(HTTPField(ProxyRefusal.field, "fault"))
    return response
  }

  // MARK: The journal

  /// Writes that an upgrade was refused, by the gateway behind the proxy, by the proxy or by a fault.
  func note(refused response: HTTPResponse, of upgrade: HTTPRequest) {
    journal.write(
      .upgradeRefused(nil, status: UInt16(clamping: response.status), isBlind: upgrade.isOfBrowser),
      dialect: BlindWire.number)
  }
}
