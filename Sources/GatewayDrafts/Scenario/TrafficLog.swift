internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// The events of a recording on their way into ``Traffic``.
struct TrafficLog {
  private var traffic = Traffic()
  /// The connections by their names, and the wires, routes and tokens that have been seen.
  private var numbers: [Name: Int] = [:]
  private var wireNumbers: [Name: Int] = [:]
  private var routeNumbers: [Name: Int] = [:]
  /// When a token was asked for, by its name, and a user's last token of the gateway's own provider.
  private var askedTokens: [Name: Int64] = [:]
  private var askedUsers: [Name: Int64] = [:]
  /// The lives of tokens by what stands beside them in answers.
  private var toldLives: [Name: Int64] = [:]

  /// The tokens that are known, and the time of day at time 0.
  private struct Known {
    let tokens: [String: Recording.Token]
    let began: Int64?

    init(tokens: [String: Recording.Token], began: Int64?) { (self.tokens, self.began) = (tokens, began) }

    init(_ lines: RecordingLines) { self.init(tokens: lines.tokens, began: lines.began) }
  }

  /// How many messages of the gateway after a token are searched for its life.
  private static let searchedMax = 4

  /// Takes an event.
  mutating func add(_ event: RecordingLines.Event, _ lines: RecordingLines) {
    let line = event.line
    traffic.endsAt = max(traffic.endsAt, event.at)
    switch event.kind {
    case "connection_opened": opened(event, lines)
    case "upgrade_refused": traffic.refusedUpgrades += 1
    case "http_answered": answered(event)
    case "provider_asked":
      if let user = line["user"]?.string, askedUsers.count < Recording.entriesMax { askedUsers[Name(user)] = event.at }
    case "provider_minted", "provider_failed":
      let asked = line["user"]?.string.flatMap { askedUsers[Name($0)] }
      let isMinted = event.kind == "provider_minted"
      call(
        Traffic.Call(
          answeredAt: event.at, took: asked.map { max(0, event.at - $0) }, status: isMinted ? 200 : 503,
          route: route("provider"), isOfToken: isMinted))
    default:
      guard let place = place(of: event) else { return }
      traffic.connections[place].lastAt = max(traffic.connections[place].lastAt, event.at)
      if traffic.connections[place].user == nil, let user = line["user"]?.string { sight(user: Name(user), place) }
      switch event.kind {
      case "message_in": if let text = line["payload"]?.string { said(text, place, event.at, Known(lines)) }
      case "message_out": heard(line["payload"]?.string, place, event.at)
      case "logged_in", "refreshed":
        if traffic.connections[place].loggedInAt == nil { traffic.connections[place].loggedInAt = event.at }
        if traffic.connections[place].life == nil { traffic.connections[place].life = told(line["expires_in_ms"]) }
      case "closed": traffic.connections[place].endedAt = event.at
      default: break
      }
    }
  }

  /// Returns what was recorded.
  func traffic(_ lines: RecordingLines) -> Traffic {
    var traffic = traffic
    traffic.endsAt = max(traffic.endsAt, lines.endedAt ?? traffic.endsAt)
    (traffic.lost, traffic.isCut, traffic.hasEnd) = (lines.lost, lines.isCut, lines.hasEnd)
    return traffic
  }

  // MARK: Connections

  private mutating func place(of event: RecordingLines.Event) -> Int? {
    guard let name = event.line["connection"]?.string else { return nil }
    if let place = numbers[Name(name)] { return place }
    // The recording began later than the connection.
    return add(name, openedAt: nil, event)
  }

  private mutating func opened(_ event: RecordingLines.Event, _ lines: RecordingLines) {
    guard let name = event.line["connection"]?.string, numbers[Name(name)] == nil,
      let place = add(name, openedAt: event.at, event)
    else { return }
    guard let upgrade = RecordingReader.exchange(event.line, event.at, event.number) else { return }
    for pair in upgrade.query + upgrade.headers where traffic.connections[place].token == nil {
      said(pair.value, place, event.at, Known(lines))
    }
    if traffic.connections[place].token != nil { traffic.connections[place].loggedInAt = event.at }
  }

  private mutating func add(_ name: String, openedAt: Int64?, _ event: RecordingLines.Event) -> Int? {
    guard traffic.connections.count < Recording.entriesMax else {
      if openedAt != nil { traffic.leftOut += 1 }
      return nil
    }
    numbers[Name(name)] = traffic.connections.count
    traffic.connections.append(
      Traffic.Connection(
        openedAt: openedAt, seenAt: event.at, lastAt: event.at,
        wire: event.line["dialect"]?.string.flatMap { wire($0) }))
    return traffic.connections.count - 1
  }

  private mutating func wire(_ text: String) -> Int? {
    let name = Name(text)
    if let number = wireNumbers[name] { return number }
    guard traffic.wires.count < Traffic.namesMax else { return nil }
    wireNumbers[name] = traffic.wires.count
    traffic.wires.append(name)
    return traffic.wires.count - 1
  }

  private mutating func sight(user: Name, _ place: Int) {
    traffic.connections[place].user = user
    if traffic.connections[place].askedAt == nil { traffic.connections[place].askedAt = askedUsers[user] }
  }

  /// Reads a client's message, or a value of its upgrade.
  private mutating func said(_ text: String, _ place: Int, _ at: Int64, _ known: Known) {
    guard traffic.connections[place].token == nil, let name = Self.token(in: text) else { return }
    traffic.connections[place].token = Name(name)
    traffic.connections[place].askedAt = askedTokens[Name(name)] ?? traffic.connections[place].askedAt
    let token = known.tokens[name]
    if traffic.connections[place].life == nil {
      let life = token.flatMap { Self.life(of: $0, at: at, since: known.began) }
      traffic.connections[place].life = life ?? toldLives[Name(name)]
    }
    if traffic.connections[place].user == nil, let user = token?.user { sight(user: Name(user), place) }
  }

  /// Reads a message of the gateway; nil for one that is not text.
  private mutating func heard(_ text: String?, _ place: Int, _ at: Int64) {
    guard traffic.connections[place].token != nil else { return }
    if traffic.connections[place].loggedInAt == nil { traffic.connections[place].loggedInAt = at }
    guard traffic.connections[place].life == nil, traffic.connections[place].searched < Self.searchedMax, let text
    else { return }
    traffic.connections[place].searched += 1
    traffic.connections[place].life = ToldLife.find(in: text)
  }

  private func told(_ number: JSONView?) -> Int64? { Recording.time(number?.number).flatMap { $0 > 0 ? $0 : nil } }

  /// Returns the name of the first token in a text.
  static func token(in text: String) -> String? {
    guard text.contains(bytesOf: "token-") else { return nil }
    return DraftText.words(of: text).lazy.map { Substring($0) }.first {
      $0.utf8.starts(with: "token-".utf8) && Pseudonyms.isName($0.utf8) && !$0.utf8.elementsEqual("token-more".utf8)
    }.map { String($0) }
  }

  /// Returns how long a token lives, by what it says of itself, else from its first sight on; nil if it says nothing.
  static func life(of token: Recording.Token, at: Int64, since began: Int64?) -> Int64? {
    guard let ends = token.ends, let from = token.issued ?? began.map({ $0 + at }), ends > from else { return nil }
    return ends - from
  }

  // MARK: Requests

  private mutating func answered(_ event: RecordingLines.Event) {
    // The lines of a gateway have no requests, but those of its token provider.
    guard let exchange = RecordingReader.exchange(event.line, event.at, event.number) else { return }
    answered(exchange, at: event.at)
  }

  private mutating func answered(_ exchange: Recording.Exchange, at: Int64) {
    let name = exchange.answer.flatMap { Self.token(in: $0) }.map { Name($0) }
    let isNew = name.map { askedTokens[$0] == nil } ?? false
    if let name, isNew, askedTokens.count < Recording.entriesMax {
      askedTokens[name] = at - (exchange.took ?? 0)
      toldLives[name] = exchange.answer.flatMap { ToldLife.find(in: $0) }
    }
    call(
      Traffic.Call(
        answeredAt: at, took: exchange.took, status: exchange.status,
        route: route("\(exchange.method) \(exchange.path)"), isOfToken: isNew))
  }

  private mutating func call(_ call: Traffic.Call) {
    guard traffic.calls.count < Recording.entriesMax else {
      traffic.leftOut += 1
      return
    }
    traffic.calls.append(call)
  }

  private mutating func route(_ text: String) -> Int {
    let name = Name(text)
    if let number = routeNumbers[name] { return number }
    // The last number is that of all further routes.
    let number = min(routeNumbers.count, Traffic.namesMax)
    if routeNumbers.count < Traffic.namesMax { routeNumbers[name] = number }
    return number
  }

  // MARK: HAR files

  /// Takes the connections and requests of a HAR file.
  mutating func add(_ recording: Recording) {
    for exchange in recording.exchanges.sorted(by: { ($0.at, $0.line) < ($1.at, $1.line) }) {
      let at = exchange.at + (exchange.took ?? 0)
      traffic.endsAt = max(traffic.endsAt, at)
      answered(exchange, at: at)
    }
    for connection in recording.connections.sorted(by: { ($0.openedAt, $0.line) < ($1.openedAt, $1.line) }) {
      add(connection, of: recording)
    }
    traffic.isHAR = true
  }

  private mutating func add(_ connection: Recording.Connection, of recording: Recording) {
    let place = traffic.connections.count
    let last = max(connection.openedAt, connection.messages.map(\.at).max() ?? connection.openedAt)
    traffic.connections.append(
      Traffic.Connection(openedAt: connection.openedAt, seenAt: connection.openedAt, lastAt: last))
    traffic.endsAt = max(traffic.endsAt, last)
    let known = Known(tokens: recording.tokens, began: recording.began)
    for pair in (connection.upgrade?.query ?? []) + (connection.upgrade?.headers ?? [])
    where traffic.connections[place].token == nil {
      said(pair.value, place, connection.openedAt, known)
    }
    if traffic.connections[place].token != nil { traffic.connections[place].loggedInAt = connection.openedAt }
    for message in connection.messages {
      if message.isOfClient {
        said(message.text, place, message.at, known)
      } else {
        heard(message.text, place, message.at)
      }
    }
  }
}

extension Traffic {
  /// Creates what a HAR file shows. It says of no connection that it ended.
  init(har recording: Recording) {
    var log = TrafficLog()
    log.add(recording)
    self = log.traffic(RecordingLines())
    hasEnd = true
  }
}
