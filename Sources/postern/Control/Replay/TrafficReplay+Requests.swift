import GatewayControl
import GatewayCore
import GatewayDrafts
import GatewayKit
import GatewayRuntime
import GatewayServer

// Upgrades and requests over HTTP.
extension TrafficReplay {
  /// The fields that belong to one connection, or that the replay writes itself.
  private static let ownFields: Set<String> = [
    "host", "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect", "via",
    "keep-alive", "accept-encoding", "proxy-connection", "proxy-authorization", "sec-websocket-key",
    "sec-websocket-version", "sec-websocket-extensions", "sec-websocket-protocol",
  ]

  /// The fields in which a browser says which page asks.
  private static let pageFields: Set<String> = ["origin", "sec-fetch-site"]

  private func message(_ exchange: Recording.Exchange) async throws -> HTTPRequest {
    var message = HTTPRequest(method: exchange.method, path: try await filled(exchange.path, exchange.line))
    for pair in exchange.query {
      message.query.append(HTTPField(pair.name, try await filled(pair.value, exchange.line)))
    }
    for pair in exchange.headers where !Self.ownFields.contains(pair.name.lowercased()) && pair.name.utf8.first != 0x3a
    {
      message.headers.append(HTTPField(pair.name, try await filled(pair.value, exchange.line)))
    }
    if let body = exchange.body { message.body = Array(try await filled(body, exchange.line).utf8) }
    return message
  }

  /// Opens a recorded connection, or one that was refused if `number` is nil.
  func open(_ number: Int?, _ exchange: Recording.Exchange, _ line: Int) async throws {
    var upgrade = ClientUpgrade(try await message(exchange))
    upgrade.request.body = []
    for field in exchange.headers where Name(field.name.lowercased()) == "sec-websocket-protocol" {
      for word in try await filled(field.value, line).utf8.split(separator: UInt8(ascii: ",")) {
        upgrade.subprotocols.append(String(Substring(word.drop { $0 == 0x20 })))
      }
    }
    let client = ReplayClient(on: loop, keepsMessages: true)
    let recorded = number == nil ? "the upgrade's status \(exchange.status)" : "an open connection"
    switch await client.open(target, upgrade, by: space.dialer) {
    case .opened:
      guard let number else {
        await client.lose()
        return tell(nil, line, recorded, "an open connection")
      }
      clients[number] = client
      outcome.alike += 1
      sessions[number] = try await newSession()
    case .refused(.refused(let status)) where number == nil && status == exchange.status: outcome.alike += 1
    case .refused(let failure): tell(number, line, recorded, "\(failure)")
    }
  }

  /// Returns the space's name of the session that was opened last.
  private func newSession() async throws -> String? {
    let order = WaitOrder(kind: "connection_opened", connection: nil, after: lastLine, withinMs: 10_000)
    guard let line = try await space.awaited(order) else { return nil }
    lastLine = line.n
    return line.connection
  }

  /// Sends a request. An answer that made a token and that this gateway has no route for is replaced by a token minted here.
  func request(_ exchange: Recording.Exchange) async throws {
    let label = "\(exchange.method) \(exchange.path)"
    let answer: HTTPResponse
    var message = try await message(exchange)
    // Which pages a gateway lets in is a setting. A request of one that was let in is judged by the rest of it.
    if exchange.status < 400 { message.headers.removeAll { Self.pageFields.contains($0.name.lowercased()) } }
    switch await space.dialer.fetch(message, from: target, timeout: Self.patience) {
    case .success(let response): answer = response
    case .failure(let failure):
      return tell(nil, exchange.line, "\(label) with status \(exchange.status)", "\(failure)")
    }
    if let body = exchange.answer {
      names.learn(from: String(decoding: answer.body, as: UTF8.self), recordedAs: body)
    }
    for (field, recorded) in zip(
      answer.headers.filter { $0.name == "set-cookie" }, exchange.answerHeaders.filter { Name($0.name) == "set-cookie" }
    ) {
      // What follows the value are attributes.
      let (value, name) = (field.value.prefix { $0 != ";" }, recorded.value.prefix { $0 != ";" })
      names.learn(from: String(value), recordedAs: String(name))
    }
    if answer.status == exchange.status {
      outcome.alike += 1
    } else if [404, 405].contains(answer.status), exchange.status < 300,
      TrafficNames.names(in: exchange.answer ?? "").contains(where: { recording.tokens[$0] != nil })
    {
      outcome.notes.append("line \(exchange.line): this gateway has no \(label); its tokens are minted")
    } else {
      tell(nil, exchange.line, "\(label) with status \(exchange.status)", "\(answer.status)")
    }
  }
}
