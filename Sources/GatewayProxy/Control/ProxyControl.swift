internal import GatewayCore
package import GatewayFaults
package import GatewayRuntime
internal import GatewayWires

/// The means of an operator at a proxy: its journal, its faults and its log. Only on its loop.
///
/// `@unchecked Sendable`: used only on its loop.
package final class ProxyControl: @unchecked Sendable {
  package let journal: Journal
  package let faults: FaultBook
  /// The wire that gives messages their meaning; nil if messages are not read.
  let wire: ProxyWire?
  /// The calls of the application's token endpoint; nil if the endpoint is unknown.
  let tokens: TokenSightings?
  let log: LoopLog
  private var routes = RouteNames()

  /// Creates a journal that begins now, and a book without faults.
  ///
  /// - Parameters:
  ///   - wire: The wire that gives messages their meaning; nil to read none.
  ///   - tokens: The calls of the application's token endpoint; nil if nobody knows which they are.
  ///   - bytes: The room for what happened.
  ///   - payloadBytes: The room for what messages said; nil to keep nothing of that.
  ///   - seed: The seed of the faults.
  ///   - log: The log of orders; nil for none.
  package init(
    on loop: EventLoop, wire: ProxyWire? = nil, tokens: TokenSightings? = nil,
    bytes: Int = GatewayConfiguration.usualJournalBytes, payloadBytes: Int?, seed: UInt64, log: GatewayLog?
  ) {
    journal = Journal(on: loop, bytes: bytes, payloadBytes: payloadBytes)
    (self.wire, self.tokens) = (wire, tokens)
    journal.wires = [wire?.journal ?? BlindWire.journal]
    journal.begin()
    faults = FaultBook(on: loop, seed: seed, policy: ProxyFaults(wire: wire, tokens: tokens))
    faults.attach(to: journal)
    self.log = LoopLog(log, on: loop)
  }

  /// Creates the control of a proxy without a control port, whose journal is only recorded.
  package convenience init(recordingOn loop: EventLoop, seed: UInt64) {
    self.init(on: loop, bytes: Self.recordedBytes, payloadBytes: nil, seed: seed, log: nil)
  }

  /// The room for what happened if nobody reads it but a recording.
  private static let recordedBytes = 1 << 16

  /// Ends the waits for the journal, and the log. After the last connection has ended.
  package func end() {
    journal.end()
    log.end()
  }

  // MARK: Faults

  /// Returns the answer to an upgrade before the target is dialled, if a fault demands it; nil to continue.
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
  func eyes(for upgrade: HTTPRequest, _ id: ConnectionID) -> (any ConnectionEyes)? { wire?.eyes(upgrade, id) }

  /// Returns the answer to a request: the usual one, unless a fault intervenes.
  nonisolated(nonsending) func answer(
    _ request: HTTPRequest, usually: nonisolated(nonsending) (HTTPRequest, ProxyTarget?) async -> HTTPResponse
  ) async -> HTTPResponse {
    let began = journal.age
    let tokens = tokens.flatMap { $0.watch.isAsked(by: request) ? $0 : nil }
    var answer = await faults.answer(request, method: request.method, pattern: request.path, Self.words) {
      guard let tokens else { return await usually(request, nil) }
      return await tokens.answer(request, journal, faults, Self.words) { await usually($0, tokens.target) }
    }
    if journal.isRecorded {
      if let length = answer.contentLength, length <= Self.recordedBodyMax {
        _ = await WholeBody.read(&answer, atMost: Self.recordedBodyMax)
      }
      journal.note(HTTPExchange(request, answer, took: journal.age - began))
    }
    journal.write(route: routes.route(of: request), status: answer.status, dialect: BlindWire.number)
    return answer
  }

  /// Has the answer to a request over HTTP that renews connections tell the life that a fault reports.
  func shorten(_ answer: inout HTTPResponse, to request: RenewalSight, of connections: [ConnectionID]) {
    let now = journal.loop.wallTime
    guard answer.stream == nil, let wire, wire.telling(.zero, answer, now) != nil else { return }
    for connection in connections.isEmpty ? [nil] : connections.map(Optional.some) {
      guard let life = faults.toldLife(in: answer.body, renewing: connection, of: request.user) else { continue }
      (answer.body, answer.contentLength) = (wire.telling(life, answer, now) ?? answer.body, nil)
      return
    }
  }

  /// A longer body, or one without a known length, is passed on in pieces and is in no recording.
  private static let recordedBodyMax = 1 << 16

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
    let then = eyes(for: upgrade, ConnectionID(loop: 0, serial: 0))?.then(atStatus: response.status)
    journal.note(HTTPExchange(upgrade, response))
    journal.write(
      .upgradeRefused(
        then.map(ConnectionRecord.error), status: UInt16(clamping: response.status), isBlind: upgrade.isOfBrowser),
      dialect: BlindWire.number)
  }
}
